# astedit in a container: docker build -t astedit . && docker run --rm -v "$PWD:/work" astedit search -p 'f($$$A)'
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /dist

FROM python:3.13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 astedit
COPY --from=build /dist/*.whl /tmp/
RUN pip install --no-cache-dir "$(ls /tmp/*.whl)[mcp,resident]" && rm /tmp/*.whl
USER astedit
WORKDIR /work
ENTRYPOINT ["astedit"]

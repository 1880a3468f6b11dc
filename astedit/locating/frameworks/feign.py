"""Feign: interfaces whose methods call another service, with the mappings of Spring."""

from tree_sitter import Node

from astedit.locating.frameworks.java_file import JavaFramework, annotations, element, literal
from astedit.locating.frameworks.spring import class_paths, mappings, methods, paths
from astedit.locating.frameworks.syntax import line_of
from astedit.locating.frameworks.table import marks
from astedit.locating.frameworks.web_facts import ClientCall


class Feign(JavaFramework):
    """`@FeignClient(name = "remote") interface F { @GetMapping("/x") String x(); }`."""

    name = "feign"
    client_marks = marks(b"FeignClient")

    def read_type(self, declaration: Node) -> None:
        """Adds the calls of a client; its own `path` goes before that of a mapping."""
        notes = dict(annotations(declaration))
        if (feign := notes.get("FeignClient")) is None:
            return
        path = element(feign, "path")
        prefix = literal(path) if path is not None else class_paths(notes)[0]
        target = literal(element(feign, "name", "value", "serviceId")).text or "?"
        for method, name, note in mappings(declaration):
            self._add(method, (*methods(name, note), "ANY")[0], note, prefix.text or "", target)

    def _add(self, method: Node, verb: str, note: Node, prefix: str, target: str) -> None:
        for path in paths(note):
            parts = (prefix.strip("/"), (path.text or "").lstrip("/"))
            self.file.facts.calls.append(
                ClientCall(
                    library=self.name,
                    method=verb,
                    url=f"/{'/'.join(filter(None, parts))}",
                    base=None,
                    target=target,
                    enclosing=self.file.enclosing(method),
                    line=line_of(note),
                    literal=path.place,
                    span=method.byte_range,
                )
            )


FRAMEWORK = Feign

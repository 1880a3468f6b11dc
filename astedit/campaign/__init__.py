"""One request over many repositories: a plan and a pending action for each of them.

`drive.plan` takes any `concurrent.futures.Executor`; what a worker is given and gives back is
plain data. The gate of each repository decides, and only it writes. Nothing is imported here:
a worker starts for each repository.
"""

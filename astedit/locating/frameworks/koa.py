"""Koa: applications, and the routers of `@koa/router`."""

from astedit.locating.frameworks.javascript_file import JavaScriptFramework
from astedit.locating.frameworks.table import marks, word

_MAKERS = ("Koa", "KoaRouter", "koa", "koa-router", "@koa/router")


class Koa(JavaScriptFramework):
    """`const app = new Koa()`; a `new Router({ prefix: "/x" })` is of Koa too."""

    name = "koa"
    route_marks = (word(b"koa"), *marks(b"Koa", b"Router"))
    makers = frozenset({*_MAKERS, *(f"new {maker}" for maker in _MAKERS), "new Router"})


FRAMEWORK = Koa

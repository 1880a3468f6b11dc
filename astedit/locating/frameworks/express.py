"""Express: applications and routers."""

from astedit.locating.frameworks.framework import marks, word
from astedit.locating.frameworks.javascript_file import JavaScriptFramework


class Express(JavaScriptFramework):
    """`const app = express()`, `const router = express.Router()`."""

    name = "express"
    route_marks = (word(b"express"), *marks(b"Router"))
    makers = frozenset({"express", "new express", "express.Router", "new express.Router", "Router"})


FRAMEWORK = Express

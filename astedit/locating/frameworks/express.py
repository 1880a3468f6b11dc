"""Express: applications and routers."""

from astedit.locating.frameworks.javascript_file import JavaScriptFramework
from astedit.locating.frameworks.table import marks, word


class Express(JavaScriptFramework):
    """`const app = express()`, `const router = express.Router()`."""

    name = "express"
    route_marks = (word(b"express"), *marks(b"Router"))
    makers = frozenset({"express", "new express", "express.Router", "new express.Router", "Router"})


FRAMEWORK = Express

"""Import forms of a module `pkg.a` whose function `f` moves to `pkg.b`, and what they become."""

# form: (path, before, after)
FORMS: dict[str, tuple[str, str, str]] = {
    "absolute": ("u01.py", "from pkg.a import f\nf()\n", "from pkg.b import f\nf()\n"),
    "aliased": ("u02.py", "from pkg.a import f as g\ng()\n", "from pkg.b import f as g\ng()\n"),
    "with another": (
        "u03.py",
        "from pkg.a import f, h\nf(h)\n",
        "from pkg.a import h\nfrom pkg.b import f\nf(h)\n",
    ),
    "before another": (
        "u04.py",
        "from pkg.a import c, f\nf(c)\n",
        "from pkg.a import c\nfrom pkg.b import f\nf(c)\n",
    ),
    "in brackets": (
        "u05.py",
        "from pkg.a import (\n    f,\n    h,  # kept\n)\nf(h)\n",
        "from pkg.a import (\n    h,  # kept\n)\nfrom pkg.b import f\nf(h)\n",
    ),
    "alone in brackets": (
        "u06.py",
        "from pkg.a import (  # why\n    f,\n)\nf()\n",
        "from pkg.b import (  # why\n    f,\n)\nf()\n",
    ),
    "over a backslash": (
        "u07.py",
        "from pkg.a \\\n    import f\nf()\n",
        "from pkg.b \\\n    import f\nf()\n",
    ),
    "beside what is there": (
        "u08.py",
        "from pkg.a import f, h\nfrom pkg.b import z\nf(h, z)\n",
        "from pkg.a import h\nfrom pkg.b import f, z\nf(h, z)\n",
    ),
    "marked as a re-export": (
        "u09.py",
        "from pkg.a import f as f, h as h\n",
        "from pkg.a import h as h\nfrom pkg.b import f as f\n",
    ),
    "behind a semicolon": (
        "u10.py",
        "import os; from pkg.a import f\nf(os)\n",
        "import os; from pkg.b import f\nf(os)\n",
    ),
    "relative": ("pkg/u11.py", "from .a import f\nf()\n", "from .b import f\nf()\n"),
    "relative, aliased, with another": (
        "pkg/u12.py",
        "from .a import f as g, h\ng(h)\n",
        "from .a import h\nfrom .b import f as g\ng(h)\n",
    ),
    "relative to the package above": (
        "pkg/sub/u13.py", "from ..a import f\nf()\n", "from ..b import f\nf()\n",
    ),
    "absolute within the package": (
        "pkg/u14.py", "from pkg.a import f\nf()\n", "from pkg.b import f\nf()\n",
    ),
    "in a function": (
        "u15.py",
        "def k():\n    from pkg.a import f\n    return f()\n",
        "def k():\n    from pkg.b import f\n    return f()\n",
    ),
    "in a function, with another": (
        "u16.py",
        "def k():\n    from pkg.a import f, h\n    return f(h)\n",
        "def k():\n    from pkg.a import h\n    from pkg.b import f\n    return f(h)\n",
    ),
    "in a class": (
        "u17.py",
        "class K:\n    from pkg.a import f\n",
        "class K:\n    from pkg.b import f\n",
    ),
    "for type checkers": (
        "u18.py",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from pkg.a import f, h\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from pkg.a import h\n"
        "    from pkg.b import f\n",
    ),
    "tried": (
        "u19.py",
        "try:\n    from pkg.a import f\nexcept ImportError:\n    f = None\n",
        "try:\n    from pkg.b import f\nexcept ImportError:\n    f = None\n",
    ),
    "in a branch": (
        "u20.py",
        "import os\n\nif os.sep:\n    from pkg.a import f\nelse:\n    from pkg.a import h as f\n",
        "import os\n\nif os.sep:\n    from pkg.b import f\nelse:\n    from pkg.a import h as f\n",
    ),
    "star": (
        "u21.py",
        "from pkg.a import *\nf(h)\n",
        "from pkg.a import *\nfrom pkg.b import f\nf(h)\n",
    ),
    "relative star": (
        "pkg/u22.py",
        "from .a import *\nf(h)\n",
        "from .a import *\nfrom .b import f\nf(h)\n",
    ),
    "star of both": (
        "u23.py",
        "from pkg.a import *\nfrom pkg.b import *\nf(h, z)\n",
        "from pkg.a import *\nfrom pkg.b import *\nf(h, z)\n",
    ),
    "through a package": ("u24.py", "from pkg import f\nf()\n", "from pkg import f\nf()\n"),
    "through a package, by its name": ("u25.py", "import pkg\npkg.f()\n", "import pkg\npkg.f()\n"),
    "module": ("u26.py", "import pkg.a\npkg.a.f()\n", "import pkg.b\npkg.b.f()\n"),
    "module that stays": (
        "u27.py",
        "import pkg.a\npkg.a.f(pkg.a.h)\n",
        "import pkg.a\nimport pkg.b\npkg.b.f(pkg.a.h)\n",
    ),
    "aliased module": (
        "u28.py", "import pkg.a as m\nm.f()\n", "import pkg.b as m\nm.f()\n",
    ),
    "aliased module that stays": (
        "u29.py",
        "import pkg.a as m\nm.f(m.h)\n",
        "import pkg.a as m\nimport pkg.b as b\nb.f(m.h)\n",
    ),
    "module of a package": (
        "u30.py", "from pkg import a\na.f()\n", "from pkg import b\nb.f()\n",
    ),
    "module of a package that stays": (
        "u31.py",
        "from pkg import a\na.f(a.h)\n",
        "from pkg import a, b\nb.f(a.h)\n",
    ),
    "aliased module of a package": (
        "u32.py", "from pkg import a as m\nm.f()\n", "from pkg import b as m\nm.f()\n",
    ),
    "module, relative": ("pkg/u33.py", "from . import a\na.f()\n", "from . import b\nb.f()\n"),
    "module, relative to the package above": (
        "pkg/sub/u34.py", "from .. import a\na.f()\n", "from .. import b\nb.f()\n",
    ),
    "both modules": (
        "u35.py",
        "import pkg.a\nimport pkg.b\npkg.a.f(pkg.b.z)\n",
        "import pkg.b\npkg.b.f(pkg.b.z)\n",
    ),
    "module, in a function": (
        "u36.py",
        "def k():\n    import pkg.a\n    return pkg.a.f()\n",
        "def k():\n    import pkg.b\n    return pkg.b.f()\n",
    ),
    "module among others": (
        "u37.py",
        "import os, pkg.a\npkg.a.f(os)\n",
        "import os\nimport pkg.b\npkg.b.f(os)\n",
    ),
    "decorator and base": (
        "u38.py",
        "from pkg import a\n\n\n@a.f\ndef k(): ...\n",
        "from pkg import b\n\n\n@b.f\ndef k(): ...\n",
    ),
    "quoted annotation": (
        "u39.py",
        "import pkg.a\n\n\ndef k(x: 'pkg.a.f'): ...\n",
        "import pkg.a\n\n\ndef k(x: 'pkg.a.f'): ...\n",
    ),
    "another name of the module": (
        "u40.py", "from pkg.a import h\nf = h\n", "from pkg.a import h\nf = h\n",
    ),
    "listed by a package": (
        "pkg/__init__.py",
        'from .a import f, h\n\n__all__ = ["f", "h"]\n',
        'from .a import h\nfrom .b import f\n\n__all__ = ["f", "h"]\n',
    ),
}  # fmt: skip
TREE = {
    "pkg/a.py": 'import os\n\n__all__ = ["c", "f", "h"]\n\nc = 1\n\n\ndef h(*_):\n    return 1\n'
    "\n\n"
    "# What moves.\ndef f(*_):\n    return os.sep\n",
    "pkg/b.py": "z = 2\n",
    "pkg/sub/__init__.py": "",
} | {path: before for path, before, _ in FORMS.values()}
AFTER = {
    "pkg/a.py": '__all__ = ["c", "h"]\n\nc = 1\n\n\ndef h(*_):\n    return 1\n',
    "pkg/b.py": "import os\n\nz = 2\n\n\n# What moves.\ndef f(*_):\n    return os.sep\n",
    "pkg/sub/__init__.py": "",
} | {path: after for path, _, after in FORMS.values()}

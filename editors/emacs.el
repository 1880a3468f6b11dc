;; eglot takes one server a mode; with eglot-x or lsp-mode it runs beside others.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((python-mode python-ts-mode js-mode typescript-mode) . ("astedit" "lsp"))))

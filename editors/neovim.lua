-- Put it into your init.lua, or :source it. Works from Neovim 0.7 on.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  callback = function(event)
    local marks = { "sgconfig.yml", "sgconfig.yaml", "astedit.toml", ".git" }
    local found
    local directory = vim.fn.fnamemodify(event.match, ":p:h")
    while not found do
      for _, mark in ipairs(marks) do
        if vim.loop.fs_stat(directory .. "/" .. mark) then
          found = directory
          break
        end
      end
      local parent = vim.fn.fnamemodify(directory, ":h")
      if parent == directory then
        break
      end
      directory = parent
    end
    if not found then
      return
    end
    vim.g.astedit_clients = vim.g.astedit_clients or vim.empty_dict()
    local client = vim.g.astedit_clients[found]
    if not client then
      client = vim.lsp.start_client({ name = "astedit", cmd = { "astedit", "lsp" }, root_dir = found })
      local clients = vim.g.astedit_clients
      clients[found] = client
      vim.g.astedit_clients = clients
    end
    vim.lsp.buf_attach_client(event.buf, client)
  end,
})

# Prints the trees of Ruby sources, which a null byte parts, without brackets.
$VERBOSE = nil
def dump(node)
  case node
  when RubyVM::AbstractSyntaxTree::Node
    return dump(node.children[0]) if node.type == :BLOCK && node.children.size == 1
    number = node.children[0] if node.type == :LIT
    # Ruby makes one number of `-1`
    return "(OPCALL (LIT #{-number}) :-@ nil)" if number.is_a?(Numeric) && number.negative?
    "(#{node.type} #{node.children.map { |child| dump(child) }.join(" ")})"
  when Array then "[#{node.map { |child| dump(child) }.join(" ")}]"
  else node.inspect
  end
end
$stderr.reopen(File::NULL)
trees = $stdin.read.split("\0", -1).map do |source|
  dump(RubyVM::AbstractSyntaxTree.parse(source))
rescue SyntaxError
  ""
end
$stdout.write(trees.join("\0"))

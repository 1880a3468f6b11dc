// Prints the trees of Java sources, which a null byte parts, without brackets.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.tools.*;

public class Trees {
    static class Source extends SimpleJavaFileObject {
        final String text;
        Source(String text) {
            super(URI.create("string:///A.java"), Kind.SOURCE);
            this.text = text;
        }
        @Override public CharSequence getCharContent(boolean ignored) { return text; }
    }

    static class Dump extends TreeScanner<Void, StringBuilder> {
        @Override public Void scan(Tree tree, StringBuilder out) {
            if (tree == null) return null;
            if (tree instanceof ParenthesizedTree p) return scan(p.getExpression(), out);
            if (tree instanceof LiteralTree t && t.getValue() instanceof Number n && n.doubleValue() < 0) {
                out.append("(UNARY_MINUS (").append(tree.getKind()); // javac makes one literal of `-1`
                out.append(' ').append(n.toString().substring(1)).append("))");
                return null;
            }
            out.append('(').append(tree.getKind()).append(' ').append(text(tree));
            super.scan(tree, out);
            out.append(')');
            return null;
        }
        String text(Tree tree) {
            if (tree instanceof IdentifierTree t) return t.getName().toString();
            if (tree instanceof MemberSelectTree t) return t.getIdentifier().toString();
            if (tree instanceof LiteralTree t) return String.valueOf(t.getValue());
            if (tree instanceof VariableTree t) return t.getName().toString();
            if (tree instanceof PrimitiveTypeTree t) return t.getPrimitiveTypeKind().toString();
            if (tree instanceof MemberReferenceTree t) return t.getName().toString();
            return "";
        }
    }

    public static void main(String[] arguments) throws Exception {
        String given = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> all = new ArrayList<>();
        for (String text : given.split("\0", -1)) {
            DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
            JavacTask task = (JavacTask) compiler.getTask(
                null, null, errors, List.of("-proc:none"), null, List.of(new Source(text)));
            StringBuilder out = new StringBuilder();
            for (CompilationUnitTree unit : task.parse()) new Dump().scan(unit, out);
            boolean refused = errors.getDiagnostics().stream().anyMatch(d -> d.getKind() == Diagnostic.Kind.ERROR);
            all.add(refused ? "" : out.toString());
        }
        System.out.write(String.join("\0", all).getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }
}

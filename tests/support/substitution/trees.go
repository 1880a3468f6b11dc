// Prints the trees of Go sources, which a null byte parts, without brackets and places.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"reflect"
	"strings"
)

func dump(out *strings.Builder, value reflect.Value) {
	switch value.Kind() {
	case reflect.Interface, reflect.Ptr:
		if value.IsNil() {
			return
		}
		if group, ok := value.Interface().(*ast.ParenExpr); ok {
			dump(out, reflect.ValueOf(group.X))
			return
		}
		dump(out, value.Elem())
	case reflect.Slice:
		for i := 0; i < value.Len(); i++ {
			dump(out, value.Index(i))
		}
	case reflect.Struct:
		fmt.Fprintf(out, "(%s", value.Type().Name())
		for i := 0; i < value.NumField(); i++ {
			kind := value.Type().Field(i).Type
			name := value.Type().Field(i).Name
			if kind != reflect.TypeOf(token.Pos(0)) && name != "Obj" && name != "Scope" && name != "Unresolved" {
				fmt.Fprintf(out, " %s:", name)
				dump(out, value.Field(i))
			}
		}
		out.WriteString(")")
	default:
		fmt.Fprint(out, value.Interface())
	}
}

func main() {
	given, _ := io.ReadAll(os.Stdin)
	var trees []string
	for _, source := range strings.Split(string(given), "\x00") {
		var out strings.Builder
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", source, parser.SkipObjectResolution)
		if err == nil {
			dump(&out, reflect.ValueOf(file.Decls))
		}
		trees = append(trees, out.String())
	}
	os.Stdout.WriteString(strings.Join(trees, "\x00"))
}

// Renders the chart as Helm does, for machines that cannot get Helm: Go's text/template with sprig and the functions that
// Helm adds. Prints one JSON array of the objects. Usage: render CHART_FOLDER RELEASE_NAME < values.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type object = map[string]interface{}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readYaml(file string) object {
	text, err := os.ReadFile(file)
	check(err)
	var parsed object
	check(yaml.Unmarshal(text, &parsed))
	return parsed
}

// The given values over the chart's own, object by object.
func merge(base, given object) object {
	for name, value := range given {
		below, isObject := value.(object)
		known, wasObject := base[name].(object)
		if isObject && wasObject {
			base[name] = merge(known, below)
		} else {
			base[name] = value
		}
	}
	return base
}

func functions(all *template.Template) template.FuncMap {
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	// As where Helm has no cluster.
	functions["lookup"] = func(...string) object { return object{} }
	// Helm leaves these two out, so that a chart cannot read the machine it is rendered on.
	delete(functions, "env")
	delete(functions, "expandenv")
	return functions
}

// The files of the chart, as templates read them.
type chartFiles struct{ folder string }

func (files chartFiles) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(files.folder, name))
	check(err)
	return string(text)
}

func main() {
	folder, release := os.Args[1], os.Args[2]
	chart := readYaml(filepath.Join(folder, "Chart.yaml"))
	var given object
	check(json.NewDecoder(os.Stdin).Decode(&given))
	data := object{
		"Values":  merge(readYaml(filepath.Join(folder, "values.yaml")), given),
		"Release": object{"Name": release, "Namespace": "default", "Service": "Helm"},
		"Files":   chartFiles{folder},
		"Chart": object{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		template.Must(all.New(filepath.Base(file)).Parse(string(text)))
	}
	objects := []object{}
	for _, file := range files {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		var out strings.Builder
		check(all.ExecuteTemplate(&out, filepath.Base(file), data))
		for _, document := range strings.Split("\n"+out.String(), "\n---") {
			var parsed object
			if err := yaml.Unmarshal([]byte(document), &parsed); err != nil {
				check(fmt.Errorf("%s: %w\n%s", file, err, document))
			}
			if len(parsed) > 0 {
				objects = append(objects, parsed)
			}
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(objects))
}

import { escapeHtml } from '../http/pages.ts'

/** Returns HTML: the code, with the parts that have a colour in `<span class="code-…">`. */
export function highlight(language: string, code: string): string {
  const grammar = grammars[language]
  if (!grammar) return escapeHtml(code)
  let html = ''
  let end = 0
  for (const match of code.matchAll(grammar)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    html += `${escapeHtml(code.slice(end, match.index))}<span class="code-${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(end))
}

const words = (list: string) => `\\b(?:${list.replaceAll(' ', '|')})\\b`

const quoted = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
const number = String.raw`(?<number>(?<![\w.-])-?\d[\d_.]*\b)`
const called = String.raw`(?<call>\b[\w$]+(?=\())`

const javascript = [
  String.raw`(?<comment>//.*|/\*[\s\S]*?\*/)`,
  String.raw`(?<string>${quoted}|\x60(?:\\.|[^\x60\\])*\x60)`,
  `(?<keyword>${words('async await break case catch class const continue declare default delete else export extends finally for from function if import in instanceof interface let new null of return static super switch this throw true false try type typeof undefined var void while yield')})`,
  called,
  number,
]

const python = [
  '(?<comment>#.*)',
  String.raw`(?<string>\b[fbr]?"""[\s\S]*?"""|\b[fbr]?(?:${quoted})|"""[\s\S]*?"""|${quoted})`,
  `(?<keyword>${words('and as async await break class continue def del elif else except finally for from global if import in is lambda None nonlocal not or pass raise return True False try while with yield')})`,
  called,
  number,
]

const json = [
  String.raw`(?<name>"(?:\\.|[^"\\])*"(?=\s*:))`,
  `(?<string>${quoted})`,
  `(?<keyword>${words('true false null')})`,
  number,
]

const shell = [
  String.raw`(?<comment>(?<=^|\s)#.*)`,
  String.raw`(?<string>"(?:\\[\s\S]|[^"\\])*"|'[^']*')`,
  String.raw`(?<name>\$\{[^}]*\}|\$\w+|(?<=^|\s)[A-Z_]+(?==))`,
  String.raw`(?<keyword>(?<=\s)--?[a-zA-Z][\w-]*)`,
  String.raw`(?<call>(?<=^[ \t]*|(?:[|;]|&&) |\$\()[a-z][\w./-]*(?=\s|$))`,
]

const http = [
  String.raw`(?<call>^(?:GET|POST|PUT|PATCH|DELETE|HTTP/[\d.]+)(?= ))`,
  String.raw`(?<name>^[A-Za-z-]+(?=: )|"(?:\\.|[^"\\])*"(?=\s*:))`,
  `(?<string>${quoted})`,
  `(?<keyword>${words('true false null')})`,
]

const html = [
  '(?<comment><!--[\\s\\S]*?-->)',
  String.raw`(?<call></?[a-z][\w-]*|/?>)`,
  `(?<string>${quoted})`,
  String.raw`(?<name>\b[a-z][\w-]*(?==))`,
]

const yaml = [
  String.raw`(?<comment>(?<=^|\s)#.*)`,
  String.raw`(?<name>[\w./-]+(?=:(?:\s|$)))`,
  `(?<string>${quoted})`,
  number,
]

const compiled = (rules: readonly string[]) => new RegExp(rules.join('|'), 'gm')

const grammars: Record<string, RegExp> = Object.fromEntries(
  Object.entries({
    ...{ js: javascript, jsx: javascript, ts: javascript, python, json, sh: shell, http, html, yaml },
  }).map(([language, rules]) => [language, compiled(rules)]),
)

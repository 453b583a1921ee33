import { Failure } from '../../../shared/domain/failure.ts'
import type { OpenSandbox } from '../../domain/sandbox/sandbox.ts'
import { isSystem, pathOf, stepsOf, systemPaths } from '../../domain/sandbox/sandbox-path.ts'

type Opened = Pick<OpenSandbox, 'run'>

type Search = { path: string; excludeDirs: readonly string[]; maxResults: number }

export type TextSearch = Search & { query: string; caseSensitive: boolean; filePattern: string }

/** By `grep` in the sandbox. Values are variables, so the shell interprets none of them. */
export async function findText(opened: Opened, { query, caseSensitive, filePattern, ...search }: TextSearch) {
  const flags = caseSensitive ? '-nF' : '-niF'
  const script = `${find(search)} -type f -name "$SEARCH_PATTERN" -exec grep ${flags} -e "$SEARCH_TEXT" /dev/null {} +`
  const lines = await linesOf(opened, script, search, { SEARCH_PATTERN: filePattern, SEARCH_TEXT: query })
  const matches = lines.flatMap((each) => {
    const [, path = '', line = '', text = ''] = /^([^:]+):(\d+):(.*)$/.exec(each) ?? []
    if (path === '') return []
    const at = caseSensitive ? text.indexOf(query) : text.toLowerCase().indexOf(query.toLowerCase())
    return [{ path, line: Number(line), column: at + 1, text }]
  })
  return { matches, query, total: matches.length }
}

export type NameSearch = Search & {
  type?: 'file' | 'directory' | undefined
  patterns: readonly string[]
  excludeHidden: boolean
}

export async function findNames(opened: Opened, { type, patterns, excludeHidden, ...search }: NameSearch) {
  const names = patterns.map((_, at) => `-name "$SEARCH_PATTERN_${at}"`).join(' -o ')
  const kind = { file: '-type f', directory: '-type d', both: '\\( -type f -o -type d \\)' }[type ?? 'both']
  const shown = excludeHidden ? `! -path '*/.*'` : ''
  const script = `${find(search)} ${kind} ${shown} ${names && `\\( ${names} \\)`} -exec sh -c 'for each; do [ -d "$each" ] && echo "d$each" || echo "f$each"; done' sh {} +`
  const env = Object.fromEntries(patterns.map((pattern, at) => [`SEARCH_PATTERN_${at}`, pattern]))
  const lines = await linesOf(opened, script, search, env)
  const matches = lines
    .map((line) => ({ path: line.slice(1), type: line.startsWith('d') ? 'directory' : 'file' }))
    .filter(({ path }) => path !== pathOf(stepsOf(search.path)))
  return { matches, total: matches.length }
}

/** The start of a command, which skips folders. */
const find = ({ excludeDirs }: Search) => {
  const system = [...systemPaths, '/sys'].map((path) => `-path ${path}`)
  const skipped = excludeDirs.map((_, at) => `-name "$SEARCH_SKIP_${at}"`)
  return `find "$SEARCH_PATH" \\( ${[...system, ...skipped].join(' -o ')} \\) -prune -o`
}

const [searchSeconds, missing, maxLines] = [60, 44, 10_000]

async function linesOf(
  { run }: Opened,
  script: string,
  { path, excludeDirs, maxResults }: Search,
  env: Record<string, string>,
): Promise<string[]> {
  const steps = stepsOf(path)
  if (isSystem(steps))
    throw new Failure('route_unknown', `/${steps[0]} is a folder of the system: only commands see it.`)
  const skipped = Object.fromEntries(excludeDirs.map((name, at) => [`SEARCH_SKIP_${at}`, name]))
  const { stdout, exitCode } = await run({
    kind: 'command',
    script: `[ -d "$SEARCH_PATH" ] || exit ${missing}\n${script} 2>/dev/null | head -n ${maxResults || maxLines}`,
    env: { ...env, ...skipped, SEARCH_PATH: pathOf(steps) },
    timeoutSeconds: searchSeconds,
    signal: new AbortController().signal,
  })
  if (exitCode === missing) throw new Failure('route_unknown', 'Folder not found.')
  return stdout.split('\n').filter(Boolean)
}

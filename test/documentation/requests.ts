// Requests as guides write them: as HTTP, and as commands for curl.
import { spawnSync } from 'node:child_process'
import type { Snippet } from './snippets.ts'

export type GuideRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

export function requestsIn(snippet: Snippet): GuideRequest[] {
  if (snippet.language === 'http') return [parseHttp(snippet.text)]
  if (snippet.language === 'json') return [parseJson(snippet)]
  return curlCalls(snippet.text).map(parseCurl)
}

function parseHttp(text: string): GuideRequest {
  const [head = '', body = ''] = text.split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const [method = '', path = ''] = first.split(' ')
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
  return { method, path, headers, body }
}

/** A body, whose fence names its request. Ellipses mark omitted text. */
function parseJson({ info, text }: Snippet): GuideRequest {
  const [method = '', path = ''] = info.split(' ')
  return { method, path, headers: {}, body: text.replace(/, (?:…|"…": "…") \}/, ' }') }
}

/** The arguments of each curl call, as a real shell passes them. */
function curlCalls(script: string): string[][] {
  const recorder = `curl() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n`
  const env = {
    PATH: process.env.PATH,
    CAUSEWAY_URL: 'https://connect.example.com',
    CAUSEWAY_API_KEY: 'cwk_…',
    IMPORT: 'imp_…',
    CONNECTION: 'con_…',
  }
  const safe = script.replaceAll(/ > \S+$/gm, '')
  const { stdout, status, stderr } = spawnSync('bash', ['-euc', `${recorder}${safe}`], {
    env,
    encoding: 'utf8',
    // With a socket there, Debian's bash takes itself for a remote shell, and reads its settings.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
    .split('\n\0')
    .filter(Boolean)
    .map((call) => call.split('\0').filter(Boolean))
}

function parseCurl(args: string[]): GuideRequest {
  const request: GuideRequest = { method: 'GET', path: '', headers: {}, body: '' }
  for (let at = 0; at < args.length; at++) {
    const value = args[at + 1] ?? ''
    if (args[at] === '-X') request.method = value
    else if (args[at] === '-d') request.body = value
    else if (args[at] === '-H') Object.assign(request.headers, Object.fromEntries([value.split(': ')]))
    else {
      request.path = new URL(args[at] ?? '').pathname
      continue
    }
    at++
  }
  return request
}

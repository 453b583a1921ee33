import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import { installedRoot } from '../installed/installed-root.ts'

/** Reads source maps on demand: `process.setSourceMapsEnabled` reads all at start (0.2 s of CPU, 20 MB). */
export function thrownAt(error: Error): string | undefined {
  try {
    for (const frame of framesOf(error)) {
      const place = places.get(frame) ?? placeOf(frame)
      places.set(frame, place)
      if (place !== '') return place
    }
    return undefined
  } catch {
    return undefined // the stack may be anything
  }
}

/** By frame; empty for frames outside our code. An unavailable store throws the same error for every request. */
const places = new LRUCache<string, string>({ max: 1_000 })

/** Skips the message, which may contain any text. */
function framesOf({ stack, message }: Error): string[] {
  const text = String(stack)
  const begin = text.indexOf(message)
  const lines = text.slice(begin < 0 ? 0 : begin + message.length).split('\n')
  const last = lines.findLastIndex((line) => !/^\s*at /.test(line))
  // Copied: a slice would keep the whole stack, with its message, in memory.
  return lines.slice(last + 1).map((line) => Buffer.from(line).toString())
}

function placeOf(frame: string): string {
  const [, name, file, line, column] =
    /^\s*at (?:async )?(?:(.+) \()?(file:\/\/\S+?|\/\S+?):(\d+):(\d+)\)?$/.exec(frame) ?? []
  if (!file) return ''
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  const source = sourceOf(path, Number(line), Number(column))
  const own = ownPart(source.path)
  if (own === undefined) return ''
  const place = `${own}:${source.line}:${source.column}`
  return name === undefined ? `at ${place}` : `at ${name} (${place})`
}

function sourceOf(path: string, line: number, column: number) {
  const entry = readMap(path)?.findEntry(line - 1, column - 1)
  if (!entry || !('originalSource' in entry)) return { path, line, column }
  const source = join(dirname(path), entry.originalSource)
  return { path: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  } catch {
    return undefined
  }
}

/** The path below `src` or the build folder; undefined outside our code. */
function ownPart(path: string): string | undefined {
  if (!path.startsWith(installedRoot + sep) || path.includes(`${sep}node_modules${sep}`)) return undefined
  const [folder = '', ...parts] = path.slice(installedRoot.length + 1).split(sep)
  return folder === 'src' || folder.startsWith('dist') ? parts.join('/') : undefined
}

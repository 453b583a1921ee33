// Where an error was thrown, as the sources have it. The programs are built in a few files, of which a line says little.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedRoot } from '../installed/installed-root.ts'

/** The first place of ours in the stack, such as `at send (onboarding/webhooks/….ts:12:3)`. Never fails. */
export function thrownAt(error: Error): string | undefined {
  try {
    return firstOwnPlace(framesOf(error))
  } catch {
    return undefined // what was thrown may have any stack
  }
}

type Frame = { name: string | undefined; file: string; line: number; column: number }

const frame = /^\s*at (?:async )?(?:(.+) \()?(file:\/\/\S+?|\/\S+?):(\d+):(\d+)\)?$/

/** At the end of the stack, behind the message, which may be anybody's text. */
function framesOf({ stack, message }: Error): Frame[] {
  const text = String(stack)
  const begin = text.indexOf(message)
  const lines = text.slice(begin < 0 ? 0 : begin + message.length).split('\n')
  const last = lines.findLastIndex((line) => !/^\s*at /.test(line))
  return lines.slice(last + 1).flatMap((line) => {
    const [, name, file, at, column] = frame.exec(line) ?? []
    return file ? [{ name, file, line: Number(at), column: Number(column) }] : []
  })
}

/** A store that is away throws the same for every request, and to read a map takes a tenth of a second. */
const known = new Map<string, string | undefined>()
const mostKnown = 1_000

function firstOwnPlace(frames: readonly Frame[]): string | undefined {
  const maps = new Map<string, SourceMap | undefined>()
  for (const each of frames) {
    // A copy: a part of a text keeps the whole of it in memory, with the message.
    const key = Buffer.from(`${each.name} ${each.file}:${each.line}:${each.column}`).toString()
    const place = known.has(key) ? known.get(key) : placeOf(each, maps)
    if (known.size >= mostKnown) known.clear()
    known.set(key, place)
    if (place !== undefined) return place
  }
  return undefined
}

type Maps = Map<string, SourceMap | undefined>

function placeOf({ name, file, line, column }: Frame, maps: Maps): string | undefined {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  const written = writtenAt(path, line, column, maps)
  const own = ownPart(written.path)
  if (own === undefined) return undefined
  const told = `${own}:${written.line}:${written.column}`
  return Buffer.from(name === undefined ? `at ${told}` : `at ${name} (${told})`).toString()
}

/** In what was built: by its map, where one lies beside it. */
function writtenAt(path: string, line: number, column: number, maps: Maps) {
  const map = maps.has(path) ? maps.get(path) : readMap(path)
  maps.set(path, map)
  const entry = map?.findEntry(line - 1, column - 1)
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

/** Below the folder that the sources or what was made of them lie in; undefined for code of others. */
function ownPart(path: string): string | undefined {
  if (!path.startsWith(installedRoot + sep) || path.includes(`${sep}node_modules${sep}`)) return undefined
  const [folder = '', ...parts] = path.slice(installedRoot.length + 1).split(sep)
  return folder === 'src' || folder.startsWith('dist') ? parts.join('/') : undefined
}

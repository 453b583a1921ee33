import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import type { Import } from './source-imports.ts'

export type Row = { from: RegExp; targets: Target[] }
export type Target = { name: string; typesOnly: boolean }

const document = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
const section = document.split(/^## /m).find((text) => text.startsWith('What may import what')) ?? ''

/** Onboarding's areas by rank, from the line with `<`. Areas of equal rank must not import each other. */
const areaRanks: ReadonlyMap<string, number> = new Map(
  (/`\w+`(?:,? `\w+`| < `\w+`)+/.exec(section)?.[0] ?? '')
    .split(' < ')
    .flatMap((names, rank) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, rank] as const)),
)

/** The rows under "What may import what" in ARCHITECTURE.md, by the text between backticks. */
export function readImportTable(): Row[] {
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((line) => {
    const [, from = '', targets = ''] = line.split('|')
    return readWords(from).map(({ name }) => ({ from: toPattern(name), targets: readWords(targets) }))
  })
}

const readWords = (cell: string): Target[] =>
  [...cell.matchAll(/`([^`]+)`( \(types\))?/g)].map(([, name = '', types]) => ({ name, typesOnly: Boolean(types) }))

/** `*` matches one or more folders: the program, or the program and its area. */
const toPattern = (from: string) => new RegExp(`^${from.replaceAll('.', '\\.').replaceAll('*', '.+')}(/|$)`)

export function isAllowed(rows: readonly Row[], each: Import): boolean {
  const targets = rows.filter(({ from }) => from.test(each.from)).flatMap((row) => row.targets)
  const ownRoom = { name: locate(each.from).room, typesOnly: false }
  return [...targets, ownRoom].some(({ name, typesOnly }) => (each.typesOnly || !typesOnly) && covers(name, each))
}

function covers(target: string, { from, to, ours }: Import): boolean {
  if (!ours) return coversModule(target, to)
  if (/^(kit|contract)\b/.test(target)) return isIn(to, target)
  const [here, there] = [locate(from), locate(to)]
  if (here.program !== there.program) return false
  if (target === 'program') return !areaRanks.has(here.area ?? '') || reaches(here, there)
  return there.room === target && reaches(here, there)
}

/** The file's own area, the shared folders of its program, and the areas before it. A file of the program: all. */
function reaches(here: FileLocation, there: FileLocation): boolean {
  const isDirectlyInProgram = !here.area && !rooms.includes(here.room)
  if (isDirectlyInProgram || there.area === here.area || !there.area || there.area === 'shared') return true
  const [from, to] = [areaRanks.get(here.area ?? ''), areaRanks.get(there.area)]
  return here.program === 'onboarding' && from !== undefined && to !== undefined && to < from
}

function coversModule(target: string, module: string): boolean {
  if (target === 'node') return isBuiltin(module)
  if (target === 'npm') return !isBuiltin(module)
  return isIn(module, target)
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

type FileLocation = { program: string; area?: string | undefined; room: string }

const rooms = ['domain', 'flows', 'http', 'adapters', 'integrations', 'kinds', 'postgres', 'cli']

/** The room of a file. A file in the folder of its program or area is its own room; kit, contract and demo are one room. */
function locate(path: string): FileLocation {
  const folders = path.split('/')
  const [program = ''] = folders
  const room = folders.findIndex((folder) => rooms.includes(folder))
  if (['kit', 'contract', 'demo'].includes(program)) return { program, room: program }
  if (room < 0) return { program, area: folders.length > 2 ? folders[1] : undefined, room: folders.at(-1) ?? '' }
  return { program, area: room > 1 ? folders[1] : undefined, room: folders[room] ?? '' }
}

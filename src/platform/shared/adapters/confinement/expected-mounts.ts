// A folder mounted inside another one has a path that commands can change: with a link, the mount would end up elsewhere,
// even over another mount. So a command starts only after the kernel's mount table confirms every mount point.
import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

type Folder = { source: string; at: string }

/** Lines of /proc/self/mountinfo as `device root path`. Empty unless a folder is nested in another. */
export function expectedMounts(folders: readonly Folder[]): string[] {
  if (!folders.some(({ at }) => folders.some((outer) => isInside(at, outer.at)))) return []
  const known = mountedHere()
  return folders.flatMap(({ source, at }) => {
    const place = placeOf(source, known)
    return place === undefined ? [] : [`${place} ${escaped(at)}`]
  })
}

const isInside = (at: string, outer: string) => at !== outer && at.startsWith(outer === '/' ? outer : `${outer}/`)

const misplaced = 'confinement: a folder is not mounted where it was requested'

/**
 * For the shell that becomes the command. Its first argument is the list, separated by line breaks, which the mount table
 * escapes. Existing mounts can't be moved any more.
 */
export const mountCheck = (expected: readonly string[]): string => `
left=${expected.length}
while read -r _ _ device root at _; do
  case "$1" in *"
$device $root $at
"*) left=$((left - 1)) ;; esac
done </proc/self/mountinfo
[ "$left" -eq 0 ] || { echo '${misplaced}' >&2; exit 1; }
shift
`

export const mountList = (expected: readonly string[]): string => `\n${expected.join('\n')}\n`

type MountEntry = { device: string; root: string; path: string }

/** proc(5): ID, parent, device, root and path, with blanks and backslashes in octal. */
const mountedHere = (): MountEntry[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [, , device = '', root = '', path = ''] = line.split(' ')
      return { device, root, path }
    })

/** Device and path of a folder in the mount table. Undefined if it does not exist. */
function placeOf(source: string, mounted: readonly MountEntry[]): string | undefined {
  const real = realPath(source)
  for (let path = real; path !== undefined; path = path === '/' ? undefined : dirname(path)) {
    const found = mounted.findLast((each) => each.path === escaped(path as string))
    if (!found) continue
    const rest = escaped((real as string).slice(path === '/' ? 0 : path.length))
    return `${found.device} ${`${found.root === '/' ? '' : found.root}${rest}` || '/'}`
  }
  return undefined
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)

// A folder that is mounted inside another one is mounted at a path that goes through what commands can change: where
// they put a link, the mount would be elsewhere, also over what is mounted next. So a command starts only after the
// kernel's own table says that every folder is where it was asked for.
import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

type Folder = { source: string; at: string }

/** Lines of /proc/self/mountinfo as `device root path`, for folders of which one is inside another; otherwise none. */
export function expectedMounts(folders: readonly Folder[]): string[] {
  if (!folders.some(({ at }) => folders.some((outer) => at.startsWith(`${outer.at}/`)))) return []
  const known = mountedHere()
  return folders.flatMap(({ source, at }) => {
    const place = placeOf(source, known)
    return place === undefined ? [] : [`${place} ${escaped(at)}`]
  })
}

const misplaced = 'confinement: what is mounted is not where it was asked for'

/**
 * For the shell that becomes the command, whose first argument is the list. Nothing that is mounted by then can be moved
 * from elsewhere. A line break separates: the table spells those of paths.
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

/** proc(5): id, parent, device, root and path, with blanks and backslashes in octal. */
const mountedHere = (): MountEntry[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [, , device = '', root = '', path = ''] = line.split(' ')
      return { device, root, path }
    })

/** Device and path there, as the table of whoever mounts it has them; undefined if there is nothing to mount. */
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

import type { Listing, OpenSandbox } from '../../domain/sandbox/sandbox.ts'

type Ports = { pause: (ms: number) => Promise<void> }

export type FileChange = { op: 'CREATE' | 'WRITE' | 'REMOVE'; path: string; name: string }

type Watched = { path: string; ignore: readonly string[]; isGone(): boolean }

const lookMs = 1_000

/** Polls every second, because not every engine reports changes. A path that ends with `/**` includes all levels. */
export async function* watchFolder(
  { pause }: Ports,
  { list }: Pick<OpenSandbox, 'list'>,
  { path, ignore, isGone }: Watched,
) {
  const isDeep = path.endsWith('/**')
  const look = async () => versionsIn(await list(isDeep ? path.slice(0, -3) : path, isDeep), ignore)
  let before = await look()
  yield []
  while (!isGone()) {
    await pause(lookMs)
    const now = await look()
    yield changesBetween(before, now)
    before = now
  }
}

type Versions = Map<string, { path: string; name: string; version: string }>

function versionsIn(listing: Listing, ignore: readonly string[], found: Versions = new Map()): Versions {
  const files = listing.files as Array<{ path: string; name: string; size: number; lastModified: string }>
  const isShown = ({ path }: { path: string }) => !ignore.some((part) => path.includes(part))
  for (const { path, name, size, lastModified } of files.filter(isShown))
    found.set(path, { path: listing.path, name, version: `${size} ${lastModified}` })
  for (const folder of (listing.subdirectories as Array<Partial<Listing> & { path: string; name: string }>).filter(
    isShown,
  )) {
    found.set(folder.path, { path: listing.path, name: folder.name, version: 'folder' })
    if (folder.files) versionsIn(folder as Listing, ignore, found)
  }
  return found
}

function changesBetween(before: Versions, now: Versions): FileChange[] {
  const written = [...now].flatMap(([key, { path, name, version }]) => {
    const known = before.get(key)
    if (known?.version === version) return []
    return [{ op: known ? ('WRITE' as const) : ('CREATE' as const), path, name }]
  })
  const removed = [...before].flatMap(([key, { path, name }]) =>
    now.has(key) ? [] : [{ op: 'REMOVE' as const, path, name }],
  )
  return [...written, ...removed]
}

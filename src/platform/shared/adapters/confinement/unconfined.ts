import { commandAccount } from './account.ts'
import { type ConfinedCommand, limited } from './bubblewrap.ts'
import { withoutInherited } from './inherited-descriptors.ts'
import { type Child, spawnChild } from './spawn-child.ts'

/**
 * The shell becomes the command. Beside it waits a reader of a pipe that only we can write to: when we end, however that
 * happens, the pipe closes and the reader ends the whole group, itself included.
 */
const leash = `
( read -r _ <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`

/** With the folders where they are on this machine, and all else that it has: for machines whose tenants are trusted. */
export function startUnconfined({ command, env, folders, workingFolder }: ConfinedCommand): Child {
  const cwd = folders.find(({ at }) => at === workingFolder)?.source
  return spawnChild('/bin/sh', ['-c', leash, 'workload', ...limited(command)], {
    ...commandAccount,
    ...(cwd && { cwd }),
    env: { ...env },
    detached: true,
    stdio: withoutInherited(Array(4).fill('pipe')),
  })
}

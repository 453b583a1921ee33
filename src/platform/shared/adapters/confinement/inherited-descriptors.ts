import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Descriptors that this process got from its own parent without being closed for programs it starts: whoever started the
 * platform may have left a log or a socket open. In place of each the command gets /dev/null.
 */
export function withoutInherited(stdio: Array<'pipe'>): Array<'pipe' | 'ignore' | number> {
  const all: Array<'pipe' | 'ignore' | number> = [...stdio]
  if (!existsSync('/proc/self/fd')) return all
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name)
    if (descriptor < stdio.length || isClosedOnStart(descriptor)) continue
    while (all.length < descriptor) all.push('ignore')
    all[descriptor] = devNull()
  }
  return all
}

const closeOnExec = 0o2000000

function isClosedOnStart(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0
  } catch {
    // It was closed in the meantime.
    return true
  }
}

let opened: number | undefined
function devNull(): number {
  opened ??= openSync('/dev/null', 'r')
  return opened
}

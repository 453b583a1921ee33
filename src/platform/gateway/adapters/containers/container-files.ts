// File tools of a sandbox in a container, as commands inside it. They need no folder of the engine's machine, and no
// symbolic link or race can lead out of the container.
import { randomUUID } from 'node:crypto'
import type { Engine, KeptContainer, RunEnd } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import type { FileEntry, SandboxFiles } from '../../domain/sandbox/sandbox.ts'
import { pathOf } from '../../domain/sandbox/sandbox-path.ts'

const maxFileBytes = 1024 * 1024
const maxEntries = 10_000

/** Exit codes of the scripts below. */
const [missing, tooLarge, closed] = [44, 45, 46]

const list = `[ -d "$1" ] || exit ${missing}
cd -- "$1" 2>/dev/null || exit ${closed}
find . -mindepth 1 -maxdepth 1 \\( -type f -o -type d \\) -exec stat -c '%F|%s|%Y|%n' {} + 2>/dev/null | head -n ${maxEntries + 1}`

const read = `[ -f "$1" ] || exit ${missing}
[ "$(stat -c %s -- "$1")" -le ${maxFileBytes} ] || exit ${tooLarge}
head -c ${maxFileBytes} -- "$1" | base64`

const write = `mkdir -p -- "$2" 2>/dev/null && cat > "$1" || exit ${closed}`

const makeFolder = `mkdir -p -- "$1" 2>/dev/null || exit ${closed}`

const remove = `[ -e "$1" ] || [ -L "$1" ] || exit ${missing}
rm -rf -- "$1" 2>/dev/null || exit ${closed}`

type ContainerFiles = Pick<SandboxFiles, 'list' | 'read' | 'write' | 'makeFolder' | 'remove'>

export const containerFiles =
  (engine: Engine) =>
  (kept: KeptContainer): ContainerFiles => {
    const run = async (script: string, parameters: string[], stdin = ''): Promise<string> => {
      const end = await engine.run({
        ...{ id: `files-${randomUUID()}`, in: { kept }, command: ['/bin/sh', '-c', script, 'files', ...parameters] },
        ...{ env: {}, folders: [], workingFolder: '/', memoryMb: kept.memoryMb, diskMb: 0, stdin },
        ...{ timeoutSeconds: 60, outputBytes: 4 * maxFileBytes, signal: new AbortController().signal },
      })
      if (end.outcome === 'exited' && end.code === 0) return end.stdout
      throw failureOf(end)
    }
    return {
      async list({ steps }) {
        try {
          return entriesOf(await run(list, [pathOf(steps)]))
        } catch (error) {
          if (error instanceof Failure && error.detail === notFound) return undefined
          throw error
        }
      },
      read: async ({ steps }) => Buffer.from(await run(read, [pathOf(steps)]), 'base64'),
      async write({ steps }, content) {
        // Without input, a command is ended with the connection. An empty file has none.
        if (content === '') await run(`${write.replace('cat >', ': >')}`, [pathOf(steps), pathOf(steps.slice(0, -1))])
        else await run(write, [pathOf(steps), pathOf(steps.slice(0, -1))], content)
      },
      async makeFolder({ steps }) {
        await run(makeFolder, [pathOf(steps)])
      },
      async remove({ steps }) {
        await run(remove, [pathOf(steps)])
      },
    }
  }

const notFound = 'File or folder not found.'

function failureOf({ outcome, code, reason }: RunEnd): Failure {
  if (outcome === 'unavailable') return new Failure('workload_unavailable', reason ?? '')
  if (code === missing) return new Failure('input_invalid', notFound)
  if (code === tooLarge) return new Failure('body_too_large', 'The file is larger than 1 MB.')
  return new Failure('input_invalid', 'The file or folder cannot be opened.')
}

/** A name with a line break is shown in parts. */
function entriesOf(text: string) {
  const lines = text.split('\n').filter(Boolean)
  const entries = lines.slice(0, maxEntries).flatMap((line) => {
    const [, type = '', size = '', seconds = '', name = ''] = /^([^|]*)\|(\d+)\|(-?\d+)\|\.\/(.*)$/.exec(line) ?? []
    return name === '' ? [] : [{ type, name, size: Number(size), lastModified: timeOf(Number(seconds)) }]
  })
  const isFolder = ({ type }: { type: string }) => type === 'directory'
  const files: FileEntry[] = entries
    .filter((entry) => !isFolder(entry))
    .map(({ name, size, lastModified }) => ({ name, size, lastModified }))
  return { files, folders: entries.filter(isFolder).map(({ name }) => name), cut: lines.length > maxEntries }
}

const maxTimeMs = 8.64e15

const timeOf = (seconds: number) => new Date(Math.min(seconds * 1_000, maxTimeMs)).toISOString()

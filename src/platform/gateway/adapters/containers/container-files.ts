// File tools of a sandbox in a container, as commands inside it. They need no folder of the engine's machine, and no
// symbolic link or race can lead out of the container.
import { randomUUID } from 'node:crypto'
import type { Engine, KeptContainer, RunEnd } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { type FileEntry, type ToolFiles, tooLarge } from '../../domain/sandbox/sandbox.ts'
import { pathOf } from '../../domain/sandbox/sandbox-path.ts'

const maxEntries = 10_000

/** Exit codes of the scripts below. */
const [missing, oversized, closed] = [44, 45, 46]

const list = `[ -d "$1" ] || exit ${missing}
cd -- "$1" 2>/dev/null || exit ${closed}
find . -mindepth 1 -maxdepth 1 \\( -type f -o -type d \\) -exec stat -c '%F|%s|%Y|%n' {} + 2>/dev/null | head -n ${maxEntries + 1}`

const read = `[ -f "$1" ] || exit ${missing}
[ "$(stat -c %s -- "$1")" -le "$2" ] || exit ${oversized}
head -c "$2" -- "$1" | base64`

/** Encoded, because the input of a command is text. */
const put = (redirect: '>' | '>>') => `mkdir -p -- "$2" 2>/dev/null && base64 -d ${redirect} "$1" || exit ${closed}`

const makeFolder = `mkdir -p -- "$1" 2>/dev/null || exit ${closed}`

const remove = `[ -e "$1" ] || [ -L "$1" ] || exit ${missing}
rm -rf -- "$1" 2>/dev/null || exit ${closed}`

export const containerFiles =
  (engine: Engine) =>
  (kept: KeptContainer): ToolFiles => {
    const run = async (script: string, parameters: string[], { stdin = '', maxBytes = 1024 * 1024 } = {}) => {
      const end = await engine.run({
        ...{ id: `files-${randomUUID()}`, in: { kept }, command: ['/bin/sh', '-c', script, 'files', ...parameters] },
        ...{ env: {}, folders: [], workingFolder: '/', memoryMb: kept.memoryMb, diskMb: 0, stdin },
        ...{ timeoutSeconds: 60, outputBytes: 2 * maxBytes + 1024 * 1024, signal: new AbortController().signal },
      })
      if (end.outcome === 'exited' && end.code === 0) return end.stdout
      throw failureOf(end, maxBytes)
    }
    const putInto = async (redirect: '>' | '>>', steps: readonly string[], content: string | Uint8Array) => {
      // A line break, because a command without input is ended with the connection.
      const stdin = `${Buffer.from(content).toString('base64')}\n`
      await run(put(redirect), [pathOf(steps), pathOf(steps.slice(0, -1))], { stdin })
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
      read: async ({ steps }, maxBytes) =>
        Buffer.from(await run(read, [pathOf(steps), String(maxBytes)], { maxBytes }), 'base64'),
      write: ({ steps }, content) => putInto('>', steps, content),
      append: ({ steps }, content) => putInto('>>', steps, content),
      async makeFolder({ steps }) {
        await run(makeFolder, [pathOf(steps)])
      },
      async remove({ steps }) {
        await run(remove, [pathOf(steps)])
      },
    }
  }

const notFound = 'File or folder not found.'

function failureOf({ outcome, code, reason }: RunEnd, maxBytes: number): Failure {
  if (outcome === 'unavailable') return new Failure('workload_unavailable', reason ?? '')
  if (code === missing) return new Failure('input_invalid', notFound)
  if (code === oversized) return tooLarge(maxBytes)
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

import { randomBytes } from 'node:crypto'
import { Failure } from '../../../shared/domain/failure.ts'
import type { Listing, OpenSandbox } from '../../domain/sandbox/sandbox.ts'
import { pathOf, stepsOf } from '../../domain/sandbox/sandbox-path.ts'

type Opened = Pick<OpenSandbox, 'list' | 'files'>

export const maxFileBytes = 8 * 1024 * 1024

export type FoundFile = { path: string; name: string; content: Buffer }

/** A folder if there is one, otherwise a file. */
export async function readPath({ list, files }: Opened, path: string): Promise<Listing | FoundFile> {
  return (await folderAt({ list }, path)) ?? readFile({ files }, path)
}

const folderAt = ({ list }: Pick<Opened, 'list'>, path: string): Promise<Listing | undefined> =>
  list(path, false).catch((error) => {
    if (error instanceof Failure && error.code === 'route_unknown' && stepsOf(path).length > 0) return undefined
    throw error
  })

export async function readFile({ files }: Pick<Opened, 'files'>, path: string): Promise<FoundFile> {
  const content = await files.read(path, maxFileBytes).catch((error) => {
    // Not `resource_unknown`: a client would create its sandbox again.
    if (error instanceof Failure && error.code === 'input_invalid')
      throw new Failure('route_unknown', error.detail, { cause: error })
    throw error
  })
  const steps = stepsOf(path)
  return { path: pathOf(steps), name: steps.at(-1) ?? '', content }
}

/** Creates the folder and writes the files below it. */
export async function writeTree({ list, files }: Opened, root: string, tree: Readonly<Record<string, string>>) {
  if (stepsOf(root).length > 0) await files.makeFolder(root)
  for (const [path, content] of Object.entries(tree))
    await files.write(pathOf([...stepsOf(root), ...stepsOf(path)]), content)
  return list(root, true)
}

export async function removePath({ list, files }: Opened, path: string, isRecursive: boolean): Promise<void> {
  if (!isRecursive) {
    const found = await folderAt({ list }, path)
    if (found && found.files.length + found.subdirectories.length > 0)
      throw new Failure('input_invalid', 'The folder is not empty: set recursive=true.')
  }
  await files.remove(path)
}

/** The ID of an upload names the folder of its parts, beside the file, so no process stores it. */
export const beginUpload = (path: string) => ({
  path: pathOf(stepsOf(path)),
  uploadId: Buffer.from(JSON.stringify([randomBytes(8).toString('hex'), pathOf(stepsOf(path))])).toString('base64url'),
})

const maxParts = 1_000

export async function uploadPart({ files }: Opened, uploadId: string, partNumber: number, content: Buffer) {
  await files.write(partOf(uploadId, partNumber), content)
  return { etag: String(content.length), partNumber, size: content.length }
}

export async function completeUpload({ files }: Opened, uploadId: string, parts: readonly number[]): Promise<string> {
  const { path, folder } = placeOf(uploadId)
  const [first, ...others] = [...new Set(parts)].sort((a, b) => a - b)
  const read = (part: number) => files.read(partOf(uploadId, part), maxFileBytes)
  await files.write(path, first === undefined ? '' : await read(first))
  for (const part of others) await files.append(path, await read(part))
  if (first !== undefined) await files.remove(folder)
  return path
}

export async function abortUpload({ files }: Opened, uploadId: string): Promise<void> {
  await files.remove(placeOf(uploadId).folder)
}

const partOf = (uploadId: string, part: number): string => {
  if (part > maxParts) throw new Failure('input_invalid', `An upload has at most ${maxParts} parts.`)
  return `${placeOf(uploadId).folder}/${part}`
}

function placeOf(uploadId: string): { path: string; folder: string } {
  const [id, path] = parsed(uploadId)
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id) || typeof path !== 'string')
    throw new Failure('route_unknown', 'No upload has this ID.')
  const steps = stepsOf(path)
  return { path: pathOf(steps), folder: pathOf([...steps.slice(0, -1), `.upload-${id}`]) }
}

function parsed(uploadId: string): unknown[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(uploadId, 'base64url').toString())
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}

import { type Request, type RequestHandler, type Response, Router } from 'express'
import {
  type SandboxFileContent,
  SandboxFileInput,
  SandboxFindQuery,
  SandboxGrepQuery,
  SandboxPartQuery,
  SandboxRemoveQuery,
  SandboxTreeInput,
  SandboxUploadInput,
  SandboxWatchQuery,
} from '../../../../contract/gateway/sandboxes.ts'
import { readJson } from '../../../../kit/http/json-body.ts'
import { turns } from '../../../../kit/process/turns.ts'
import { sendStream } from '../../../../kit/streams/send-stream.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { openLimit } from '../../domain/sandbox/open-limit.ts'
import type { Workload } from '../../domain/workload.ts'
import type { MeteredRun } from '../../flows/meter-run.ts'
import {
  abortUpload,
  beginUpload,
  completeUpload,
  type FoundFile,
  maxFileBytes,
  readFile,
  readPath,
  removePath,
  uploadPart,
  writeTree,
} from '../../flows/sandbox/change-files.ts'
import { findNames, findText } from '../../flows/sandbox/search-files.ts'
import { watchFolder } from '../../flows/sandbox/watch-folder.ts'
import { wholeBody } from '../request-body.ts'
import { endWhenRevoked } from '../streams/sse.ts'
import type { Entered } from './process-routes.ts'

type Parts = {
  pause: (ms: number) => Promise<void>
  open(req: Request, scope: string): Promise<Entered>
  meter(workspace: string, sandbox: Workload, res: Response): MeteredRun
}

type Answer = (entered: Entered, path: string, req: Request) => Promise<unknown>

/** Of a workspace. Each holds a file in memory, several times while it is encoded. */
const maxConcurrent = 8

/** Of a workspace. */
const maxWatches = 16

/** JSON escapes double the size of some texts. */
const maxJsonBytes = 2 * maxFileBytes
const maxFormBytes = maxFileBytes + 64 * 1024

const of = '/:workspace/sandboxes/:name'

export function fileRoutes({ pause, open, meter }: Parts): Router {
  const takeTurn = turns(maxConcurrent)
  const takeWatch = openLimit(maxWatches, 'folders of this workspace are watched')
  const metered = async (req: Request, res: Response, scope: string) => {
    const entered = await open(req, scope)
    const end = await takeTurn(entered.workspace)
    if (res.closed) {
      end()
      throw new Failure('workload_unavailable', 'The caller is gone.')
    }
    res.once('close', end)
    meter(entered.workspace, entered.opened.sandbox, res)
    return entered
  }
  const serve =
    (scope: string, depth: number, answer: Answer): RequestHandler =>
    async (req, res) => {
      const entered = await metered(req, res, scope)
      res.json(await answer(entered, pathIn(req, depth), req))
    }
  const read = (depth: number, answer: Answer) => serve('sandboxes:get', depth, answer)
  const change = (depth: number, answer: Answer) => serve('sandboxes:control', depth, answer)
  const readAny: RequestHandler = async (req, res) => {
    const { opened } = await metered(req, res, 'sandboxes:get')
    const path = pathIn(req, 5)
    if (!wantsBytes(req)) {
      const found = await readPath(opened, path)
      return void res.json('content' in found ? fileDocument(found) : found)
    }
    const { content, name } = await readFile(opened, path)
    res.attachment(name).set({ 'Content-Type': 'application/octet-stream', 'Content-Security-Policy': 'sandbox' })
    res.send(content)
  }
  const watch: RequestHandler = async (req, res) => {
    const { workspace, opened, enterAgain } = await open(req, 'sandboxes:get')
    const { ignore } = SandboxWatchQuery.parse(req.query)
    if (res.closed) return
    res.once('close', takeWatch(workspace))
    const changes = watchFolder({ pause }, opened, { path: pathIn(req, 6), ignore, isGone: () => res.closed })
    // Fails before the response begins.
    await changes.next()
    res.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-cache, no-transform' })
    res.flushHeaders()
    endWhenRevoked(res, enterAgain)
    sendStream(res, lines(changes))
  }
  return Router()
    .get(
      [`${of}/filesystem/tree`, `${of}/filesystem/tree/*path`],
      read(6, ({ opened }, path) => opened.list(path, true)),
    )
    .put(
      [`${of}/filesystem/tree`, `${of}/filesystem/tree/*path`],
      change(6, async ({ opened }, path, req) => {
        const { files } = SandboxTreeInput.parse(await readJson(req, maxJsonBytes))
        return writeTree(opened, path, files)
      }),
    )
    .delete(
      `${of}/filesystem/tree/*path`,
      change(6, ({ opened }, path) => removed(opened, path, true)),
    )
    .get([`${of}/filesystem`, `${of}/filesystem/*path`], readAny)
    .put(
      `${of}/filesystem/*path`,
      change(5, async ({ opened }, path, req) => {
        const { content, isFolder } = await contentIn(req)
        if (isFolder) await opened.files.makeFolder(path)
        else await opened.files.write(path, content)
        return { message: isFolder ? 'The folder exists.' : 'The file was written.', path }
      }),
    )
    .delete(
      `${of}/filesystem/*path`,
      change(5, ({ opened }, path, req) => removed(opened, path, SandboxRemoveQuery.parse(req.query).recursive)),
    )
    .get(
      [`${of}/filesystem-content-search`, `${of}/filesystem-content-search/*path`],
      read(5, ({ opened }, path, req) => findText(opened, { path, ...SandboxGrepQuery.parse(req.query) })),
    )
    .get(
      [`${of}/filesystem-find`, `${of}/filesystem-find/*path`],
      read(5, ({ opened }, path, req) => findNames(opened, { path, ...SandboxFindQuery.parse(req.query) })),
    )
    .get([`${of}/watch/filesystem`, `${of}/watch/filesystem/*path`], watch)
    .post(
      `${of}/filesystem-multipart/initiate/*path`,
      change(6, async (_entered, path) => beginUpload(path)),
    )
    .put(
      `${of}/filesystem-multipart/:upload/part`,
      change(5, async ({ opened }, _path, req) => {
        const { partNumber } = SandboxPartQuery.parse(req.query)
        return uploadPart(opened, String(req.params.upload), partNumber, (await formIn(req)).content)
      }),
    )
    .post(
      `${of}/filesystem-multipart/:upload/complete`,
      change(5, async ({ opened }, _path, req) => {
        const { parts } = SandboxUploadInput.parse(await readJson(req, maxJsonBytes))
        const path = await completeUpload(
          opened,
          String(req.params.upload),
          parts.map(({ partNumber }) => partNumber),
        )
        return { message: 'The file was written.', path }
      }),
    )
    .delete(
      `${of}/filesystem-multipart/:upload/abort`,
      change(5, async ({ opened }, _path, req) => {
        await abortUpload(opened, String(req.params.upload))
        return { message: 'The upload was aborted.' }
      }),
    )
}

async function removed(opened: Entered['opened'], path: string, isRecursive: boolean) {
  await removePath(opened, path, isRecursive)
  return { message: 'Deleted.', path }
}

const fileDocument = ({ path, name, content }: FoundFile): SandboxFileContent => ({
  path,
  name,
  size: content.length,
  content: content.toString(),
})

const wantsBytes = (req: Request): boolean =>
  req.get('accept') === 'application/octet-stream' || req.query.download === 'true'

/** Decodes the raw URL, because the router resolves dots. Skips the prefix by position. */
function pathIn({ url }: Request, depth: number): string {
  const [pathname = ''] = url.split('?')
  try {
    return decodeURIComponent(pathname.split('/').slice(depth).join('/'))
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}

const isForm = (req: Request): boolean => /^multipart\/form-data\s*;/i.test(req.get('content-type') ?? '')

async function contentIn(req: Request): Promise<{ content: string | Buffer; isFolder: boolean }> {
  if (isForm(req)) return { ...(await formIn(req)), isFolder: false }
  const { content, isDirectory } = SandboxFileInput.parse(await readJson(req, maxJsonBytes))
  return { content, isFolder: isDirectory }
}

/** The member `file` of a form (RFC 7578). */
async function formIn(req: Request): Promise<{ content: Buffer }> {
  if (!isForm(req)) throw new Failure('media_type_unsupported', 'Send the part as multipart/form-data.')
  const body = await wholeBody(req, maxFormBytes)
  const headers = { 'content-type': req.get('content-type') ?? '' }
  const form = await new globalThis.Response(body as Uint8Array<ArrayBuffer>, { headers }).formData().catch((cause) => {
    throw new Failure('input_invalid', 'The form is not valid.', { cause })
  })
  const file = form.get('file')
  if (file === null) throw new Failure('input_invalid', 'The form has no member named file.')
  return { content: typeof file === 'string' ? Buffer.from(file) : Buffer.from(await file.arrayBuffer()) }
}

async function* lines(batches: AsyncIterable<readonly object[]>) {
  const text = new TextEncoder()
  for await (const batch of batches) for (const each of batch) yield text.encode(`${JSON.stringify(each)}\n`)
}

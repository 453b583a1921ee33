import type { Request, RequestHandler, Response, Router } from 'express'
import { type SandboxProcess as ProcessDocument, SandboxProcessInput } from '../../../../contract/gateway/sandboxes.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { readJson } from '../../../../kit/http/json-body.ts'
import { turns } from '../../../../kit/process/turns.ts'
import { sendStream } from '../../../../kit/streams/send-stream.ts'
import { openLimit } from '../../domain/sandbox/open-limit.ts'
import type { ProcessKey, SandboxProcess, SandboxProcesses, StopState } from '../../domain/sandbox/process.ts'
import type { OpenSandbox } from '../../domain/sandbox/sandbox.ts'
import { findProcess, followLines, type ProcessLogs, readLogs } from '../../flows/sandbox/read-processes.ts'
import type { RunProcesses } from '../../flows/sandbox/run-processes.ts'
import { type EnterAgain, endWhenRevoked } from '../streams/sse.ts'
import { untilClosed } from './until-closed.ts'

type Ports = { processes: SandboxProcesses; runningProcesses: RunProcesses; pause: (ms: number) => Promise<void> }

export type Entered = { workspace: string; opened: OpenSandbox; enterAgain: EnterAgain }

type Parts = { ports: Ports; open(req: Request, scope: string): Promise<Entered> }

const maxBodyBytes = 256 * 1024

/** Of a sandbox. Each reads the database several times a second. */
const maxStreams = 16

/** Of a workspace. Each holds a megabyte. The others wait. */
const maxReads = 8

const all = '/:workspace/sandboxes/:name/process'
const one = `${all}/:identifier`

export function processRoutes({ ports, open }: Parts): Router {
  const { processes, runningProcesses } = ports
  const takeStream = openLimit(maxStreams, 'outputs of this sandbox are followed')
  const takeTurn = turns(maxReads)
  const found = async (req: Request, scope: string) => {
    const entered = await open(req, scope)
    const process = await findProcess(ports, entered.opened.sandbox.id, String(req.params.identifier))
    return { ...entered, process }
  }
  const start: RequestHandler = async (req, res) => {
    const { workspace, opened, enterAgain } = await open(req, 'sandboxes:control')
    const input = SandboxProcessInput.parse(await readJson(req, maxBodyBytes))
    const isFollowed = input.waitForCompletion && /\btext\/event-stream\b/.test(req.get('accept') ?? '')
    if (isFollowed) untilClosed(res, takeStream(opened.sandbox.id))
    const started = await runningProcesses.start(workspace, opened, input)
    if (isFollowed) return streamUntilEnd(ports, started, res, enterAgain)
    if (input.waitForCompletion) await started.over
    res.json(await shown(ports, started, input.waitForCompletion))
  }
  const stop =
    (state: StopState): RequestHandler =>
    async (req, res) => {
      const { process } = await found(req, 'sandboxes:control')
      await runningProcesses.stop(process, state)
      res.json({ message: `The process ${process.name} is ${state}.` })
    }
  const streamLogs: RequestHandler = async (req, res) => {
    const { process, enterAgain } = await found(req, 'sandboxes:get')
    untilClosed(res, takeStream(process.sandbox))
    await stream(ports, process, { res, enterAgain, type: 'text/plain', keepAlive: '[keepalive]' }, (output, line) => {
      return `${output}:${line}`
    })
  }
  return exactRouter()
    .get(all, async (req, res) => {
      const { opened } = await open(req, 'sandboxes:get')
      res.json((await processes.list(opened.sandbox.id)).map((process) => document(process)))
    })
    .post(all, start)
    .get(one, async (req, res) => {
      const { workspace, process } = await found(req, 'sandboxes:get')
      untilClosed(res, await takeTurn(workspace))
      res.json(document(process, await readLogs(ports, process)))
    })
    .delete(one, stop('stopped'))
    .delete(`${one}/kill`, stop('killed'))
    .get(`${one}/logs`, async (req, res) => {
      const { workspace, process } = await found(req, 'sandboxes:get')
      untilClosed(res, await takeTurn(workspace))
      res.json(await readLogs(ports, process))
    })
    .get(`${one}/logs/stream`, streamLogs)
}

async function shown(ports: Ports, { sandbox, pid }: ProcessKey, withLogs: boolean): Promise<ProcessDocument> {
  const process = await findProcess(ports, sandbox, pid)
  return document(process, withLogs ? await readLogs(ports, process) : undefined)
}

const document = (process: SandboxProcess, logs?: ProcessLogs): ProcessDocument => ({
  pid: process.pid,
  name: process.name,
  command: process.command,
  status: process.state,
  workingDir: process.workingFolder,
  ...(process.exitCode !== undefined && { exitCode: process.exitCode }),
  startedAt: process.startedAt.toISOString(),
  ...(process.endedAt && { completedAt: process.endedAt.toISOString() }),
  keepAlive: process.keepsAlive,
  maxRestarts: process.maxRestarts,
  restartCount: process.restarts,
  ...logs,
})

/** Each line is a JSON object. The last one has the process. */
async function streamUntilEnd(ports: Ports, started: ProcessKey, res: Response, enterAgain: EnterAgain) {
  const process = await findProcess(ports, started.sandbox, started.pid)
  const to = { res, enterAgain, type: 'application/x-ndjson', keepAlive: JSON.stringify({ type: 'keepalive' }) }
  const last = async () => JSON.stringify({ type: 'result', data: JSON.stringify(await shown(ports, started, true)) })
  await stream(ports, process, to, (type, data) => JSON.stringify({ type, data }), last)
}

type StreamedTo = { res: Response; enterAgain: EnterAgain; type: string; keepAlive: string }

const keepAliveMs = 15_000

async function stream(
  ports: Ports,
  process: SandboxProcess,
  { res, enterAgain, type, keepAlive }: StreamedTo,
  write: (output: string, line: string) => string,
  last?: () => Promise<string>,
): Promise<void> {
  res.writeHead(200, {
    'Content-Type': type === 'text/plain' ? `${type}; charset=utf-8` : type,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  })
  res.flushHeaders()
  endWhenRevoked(res, enterAgain)
  const beat = setInterval(() => res.writableEnded || res.write(`${keepAlive}\n`), keepAliveMs)
  res.once('close', () => clearInterval(beat))
  const text = new TextEncoder()
  async function* lines() {
    for await (const { output, line } of followLines(ports, process, () => res.closed))
      yield text.encode(`${write(output, line)}\n`)
    clearInterval(beat)
    if (last) yield text.encode(`${await last()}\n`)
  }
  sendStream(res, lines())
}

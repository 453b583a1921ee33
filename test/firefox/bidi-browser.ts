// Drives Debian's Firefox over WebDriver BiDi (W3C). The library that drives Chromium needs its own Firefox build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { WebSocket } from 'undici'
import { temporaryFolder } from '../support/processes/stores.ts'

type Json = Record<string, unknown>

type Waiting = { resolve(result: Json): void; reject(error: Error): void }

export type FirefoxBrowser = Awaited<ReturnType<typeof launchFirefox>>

/** A tab or a popup. */
export type FirefoxPage = ReturnType<FirefoxBrowser['page']>

export async function launchFirefox() {
  const program = process.env.FIREFOX_PATH ?? 'firefox-esr'
  const profile = temporaryFolder()
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0']
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } })
  const exited = once(child, 'exit')
  const socket = await connect(await addressIn(child.stderr))
  const send = speak(socket)
  const errors: string[] = []
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as { method?: string; params?: Json }
    if (method === 'log.entryAdded' && params?.level === 'error') errors.push(String(params.text))
  })

  const page = (context: string) => pageIn(send, context)
  const contexts = async () => {
    const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: Array<{ context: string }> }
    return contexts.map(({ context }) => context)
  }
  return {
    /** What pages complained about. */
    errors,
    page,
    async open(url: string) {
      const { context } = await send('browsingContext.create', { type: 'tab' })
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
      return page(String(context))
    },
    contexts,
    async close() {
      await send('browser.close', {}).catch(() => {})
      socket.close()
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 5_000))])
      child.kill('SIGKILL')
    },
  }
}

type Send = (method: string, params: Json) => Promise<Json>

const pageIn = (send: Send, context: string) => {
  const evaluate = async <T>(expression: string): Promise<T> => {
    const answer = await send('script.evaluate', {
      // Sent as text, because BiDi encodes objects differently.
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context },
      awaitPromise: true,
    })
    const { result, exceptionDetails } = answer as { result?: { value?: string }; exceptionDetails?: { text: string } }
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return (result?.value === undefined ? undefined : JSON.parse(result.value)) as T
  }
  return {
    context,
    evaluate,
    /** Runs a script that defines something, past the policy of the page. */
    load: (expression: string) => send('script.evaluate', { expression, target: { context }, awaitPromise: false }),
    url: () => evaluate<string>('location.href'),
    /** How many nodes a screen reader would call so, in the root that an expression leads to. */
    async countNamed(role: string, name: string, within: string): Promise<number> {
      const found = await send('script.evaluate', { expression: within, target: { context }, awaitPromise: false })
      const { sharedId } = (found as { result: { sharedId: string } }).result
      const locator = { type: 'accessibility', value: { role, name } }
      const located = await send('browsingContext.locateNodes', { context, locator, startNodes: [{ sharedId }] })
      return (located as { nodes: unknown[] }).nodes.length
    },
    async press(...keys: string[]) {
      const actions = keys.flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] })
    },
  }
}

function speak(socket: WebSocket): Send {
  const waiting = new Map<number, Waiting>()
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data))
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(`${error}: ${message}`))
    else asked?.resolve(result)
  })
  return (method, params) =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, { resolve, reject })
      socket.send(JSON.stringify({ id: last, method, params }))
    })
}

/** Firefox says on its error output where it listens. */
const addressIn = (output: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    output.on('data', (chunk) => {
      text += chunk
      const [, address] = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(text) ?? []
      if (address) resolve(`${address}/session`)
    })
    output.once('end', () => reject(new Error(`Firefox ended: ${text}`)))
  })

async function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  return socket
}

/** As BiDi calls them (WebDriver, section 17.4.2). */
export const keys = { tab: '\uE004', enter: '\uE007' }

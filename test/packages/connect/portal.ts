// A tenant's product with a strict CSP, against the real program.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Causeway, createCauseway } from '../../../packages/client/src/client.ts'
import type { OnboardingWorld } from '../../support/worlds/onboarding-world.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export type Portal = Awaited<ReturnType<typeof startPortal>>

type Pages = {
  /** Loaded by every page. */
  script: string
  /** Builds the body of the page with the button from its query. */
  button(query: string): string
}

/** Bundles a file of `packages/connect/src` or a source text for browsers. */
export async function bundle(
  entry: { file: string } | { text: string },
  alias: Record<string, string> = {},
): Promise<string> {
  const { outputFiles } = await build({
    ...('file' in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.text, resolveDir: root, loader: 'ts' as const } }),
    absWorkingDir: root,
    alias,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

export const elementPages = async (): Promise<Pages> => ({
  script: await bundle({ file: 'packages/connect/src/elements.ts' }),
  button: (query) => `<causeway-connect action="/connect" ${query}>Connect Files
    <input type="hidden" name="csrf" value="token-1"><p slot="waiting">Continue in the other window.</p></causeway-connect>`,
})

export async function startPortal(world: OnboardingWorld, pages: Pages) {
  const causeway: Causeway = createCauseway({ url: world.url, apiKey: world.key })
  const states = new Map<string, string>()
  const reports: string[] = []
  const server = createServer((req, res) => void serve(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await causeway.tenants.update('acme', { returnUrls: [`${at}/connected`] })

  const policy = `default-src 'none'; script-src 'self'; img-src 'self'; form-action 'self' ${world.url}; report-uri /reports`
  const answerPage = (res: ServerResponse, html: string) => {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    res.end(`<!doctype html><html lang="en"><head><title>Acme</title>
      <script type="module" src="/page.js"></script></head><body><main><h1>Acme</h1>${html}</main></body></html>`)
  }
  const routes: Record<string, (req: IncomingMessage, res: ServerResponse, url: URL) => Promise<unknown> | unknown> = {
    '/page.js': (_req, res) => res.writeHead(200, { 'content-type': 'text/javascript' }).end(pages.script),
    '/favicon.ico': (_req, res) => res.writeHead(204).end(), // some builds of Chromium ask for it, some time
    '/reports': async (req, res) => {
      reports.push(await textOf(req))
      res.writeHead(204).end()
    },
    '/connect': async (req, res) => {
      const endUser = { id: `user of ${await textOf(req)}` }
      const returnUrl = `${at}/connected`
      const begun = await causeway.connect.begin({ tenantId: 'acme', integrationId: 'provider', endUser, returnUrl })
      states.set(begun.connectSessionId, begun.state)
      res.writeHead(303, { location: begun.url }).end()
    },
    '/connected': async (_req, res, url) => {
      const { status, cause } = await causeway.connect.finish(
        url,
        states.get(url.searchParams.get('connect_session_id') ?? ''),
      )
      answerPage(
        res,
        `<causeway-connected status="${status}" cause-code="${cause?.code ?? ''}">Close this window.</causeway-connected>`,
      )
    },
    // A return page with any status.
    '/came-so-far': (_req, res, url) =>
      answerPage(res, `<causeway-connected status="${url.searchParams.get('status')}">Wait.</causeway-connected>`),
    '/': (_req, res, url) => answerPage(res, pages.button(url.search.slice(1))),
  }
  async function serve(req: IncomingMessage, res: ServerResponse) {
    const url = new URL(req.url ?? '/', at)
    const route = routes[url.pathname]
    if (route) await route(req, res, url)
    else res.writeHead(404).end()
  }
  return { at, causeway, reports, close: () => void server.close() }
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

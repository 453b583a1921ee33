// A workload server that echoes, streams, stalls or breaks, depending on the path.
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { listen } from '../../../src/kit/http/http-server.ts'

export type UpstreamDouble = Awaited<ReturnType<typeof startUpstream>>

export async function startUpstream() {
  const state = {
    requests: [] as Array<{ method: string; url: string; headers: Record<string, unknown>; body: string }>,
    cutOff: 0,
    written: 0,
    callbacks: [] as Array<{ headers: Record<string, unknown>; body: string }>,
    failingCallbacks: 0,
    /** Holds requests to …/held. */
    holds: false,
  }
  const held: Array<() => void> = []
  const app = express()
  app.post('/callback', express.text({ type: '*/*' }), (req, res) => {
    state.callbacks.push({ headers: req.headers, body: req.body })
    res.status(state.failingCallbacks-- > 0 ? 500 : 200).end()
  })
  app.use((_req, res, next) => {
    res.once('close', () => res.writableEnded || state.cutOff++)
    next()
  })
  app.all('/*base/stall', (_req, res) => void res.write('first'))
  app.all('/*base/silent', () => {})
  app.all('/*base/break', (_req, res) => {
    res.write('half')
    setImmediate(() => res.destroy())
  })
  app.all('/*base/endless', async (_req, res) => {
    res.setMaxListeners(0)
    const block = Buffer.alloc(64 * 1024)
    while (!res.closed) {
      state.written += block.length
      if (!res.write(block)) await Promise.race([once(res, 'drain'), once(res, 'close')])
    }
  })
  app.all('/*base/held', (req, res, next) => {
    if (!state.holds) return next()
    held.push(() => res.json({ held: true }))
    state.requests.push({ method: req.method, url: req.url, headers: req.headers, body: '' })
  })
  app.all('/*base/page', (_req, res) => {
    const forged = {
      'Set-Cookie': 'platform_session=x',
      'Content-Security-Policy': 'default-src *',
      'Clear-Site-Data': '"*"',
    }
    const plain = { 'X-Frame-Options': 'ALLOWALL', 'Cache-Control': 'max-age=60' }
    res
      .set({ ...forged, ...plain })
      .type('html')
      .send('<script>alert(1)</script>')
  })
  app.all('/*base/packed', express.text({ type: '*/*' }), (req, res) => {
    state.requests.push({ method: req.method, url: req.url, headers: req.headers, body: req.body })
    if (!req.acceptsEncodings('gzip')) return void res.send('in clear')
    res.set('Content-Encoding', 'gzip').type('text').send(gzipSync('packed'))
  })
  app.all('/*path', express.text({ type: '*/*', limit: '20mb' }), (req, res) => {
    const { method, url, headers } = req
    state.requests.push({ method, url, headers, body: typeof req.body === 'string' ? req.body : '' })
    res.set({ 'X-Service-Source': 'forged', 'X-Own': 'kept' }).status(url.includes('teapot') ? 418 : 200)
    res.json({ method, url, size: String(req.body ?? '').length })
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const release = () => {
    state.holds = false
    for (const answer of held.splice(0)) answer()
  }
  return { state, release, url: `http://127.0.0.1:${server.port}`, close: () => server.close(0) }
}

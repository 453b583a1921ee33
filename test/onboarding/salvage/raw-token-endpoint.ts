// A token endpoint that writes raw bytes, which node:http would correct.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import type { TokenAnswer } from './token-answers.ts'

export type RawTokenEndpoint = Awaited<ReturnType<typeof startRawTokenEndpoint>>

export async function startRawTokenEndpoint() {
  const seen: { heads: string[]; revoked: string[]; refreshes: string[] } = { heads: [], revoked: [], refreshes: [] }
  const quiet = { answer: undefined, refresh: undefined, revocation: '200 OK' }
  const state: { answer: TokenAnswer | undefined; refresh: TokenAnswer | undefined; revocation: string } = { ...quiet }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', ignoreError('whoever asked hung up')).on('close', () => sockets.delete(socket))
    onRequest(socket, (head, form) => {
      seen.heads.push(head)
      if (head.startsWith('POST /revoke')) {
        seen.revoked.push(form.get('token') ?? '')
        return void socket.end(`HTTP/1.1 ${state.revocation}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
      }
      const isRefresh = form.get('grant_type') === 'refresh_token'
      if (isRefresh) seen.refreshes.push(form.get('refresh_token') ?? '')
      const answer = (isRefresh && state.refresh) || state.answer
      if (answer) write(socket, answer)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    seen,
    host,
    answers: (answer: TokenAnswer) => {
      state.answer = answer
    },
    refreshesWith: (answer: TokenAnswer) => {
      state.refresh = answer
    },
    revokesWith: (status: string) => {
      state.revocation = status
    },
    calm() {
      for (const list of Object.values(seen)) list.length = 0
      Object.assign(state, quiet)
    },
    endpoints: {
      authorization: `http://${host}/authorize`,
      token: `http://${host}/token`,
    },
    revocation: { url: `http://${host}/revoke`, reach: 'token' as const },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function onRequest(socket: Socket, handle: (head: string, form: URLSearchParams) => void): void {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    const [head = '', body] = text.split('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (body === undefined || body.length < length) return
    text = ''
    handle(head, new URLSearchParams(body))
  })
}

function write(socket: Socket, { status = '200 OK', headers = jsonType, body, ends }: TokenAnswer): void {
  const bytes = Buffer.from(body as string)
  const announced = ends === 'cut off' ? bytes.length + 100 : bytes.length
  const length = ends === 'without a length' || status.startsWith('204') ? [] : [`Content-Length: ${announced}`]
  socket.write([`HTTP/1.1 ${status}`, ...headers, ...length, 'Connection: close', '', ''].join('\r\n'))
  socket.end(bytes)
}

const jsonType = ['Content-Type: application/json']

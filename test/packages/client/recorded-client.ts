// A client that records its requests and gets scripted responses.
import { setTimeout as pause } from 'node:timers/promises'
import { createCauseway } from '../../../packages/client/src/client.ts'

type SentRequest = { method: string; url: URL; headers: Headers; body: unknown }

/** Responds in order, and repeats the last response. */
export function clientFor(...answers: Array<Response | Error | (() => Response)>) {
  const sent: SentRequest[] = []
  const causeway = createCauseway({
    url: 'https://connect.example.com/',
    apiKey: 'cwk_secret',
    fetch: async (address, init) => {
      const { method = '', headers, body } = init ?? {}
      sent.push({
        method,
        url: new URL(String(address)),
        headers: new Headers(headers),
        body: body && JSON.parse(String(body)),
      })
      const answer = answers[Math.min(sent.length, answers.length) - 1]
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer() : (answer as Response).clone()
    },
  })
  return { causeway, sent }
}

/** Responds after a delay, unless the request is aborted. */
export const slowClient = (ms: number) =>
  createCauseway({
    url: 'https://connect.example.com/',
    apiKey: 'k',
    fetch: async (_address, init) => {
      await pause(ms, undefined, { signal: init?.signal ?? undefined }).catch(() => init?.signal?.throwIfAborted())
      return Response.json({ id: 'lnk_1', status: 'linked', connectionId: 'con_1', connection: {} })
    },
  })

export const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json(
    { type: `/problems/${code}`, title: 't', status, detail: 'Why.', instance: 'req_1', code },
    { status, headers },
  )

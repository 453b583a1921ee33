// A client whose requests are kept, and answered as a test says.
import { setTimeout as pause } from 'node:timers/promises'
import { createCauseway } from '../../../packages/client/src/client.ts'

type SentRequest = { method: string; url: URL; headers: Headers; body: unknown }

/** Answers in turn; the last answer is given for ever. */
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

/** Answers after a while, unless it was given up before. */
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

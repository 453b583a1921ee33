import { z } from 'zod'
import { describeConnection, isCertificateProblem } from '../../../kit/fetch/connection-problem.ts'
import { type Answer, FetchError, type GuardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { type OwnAnswer, questionHeader } from '../../domain/doctor/own-address.ts'
import type { OwnAddress } from '../../domain/ports/doctor.ts'
import { jsonIn } from './probe-answer.ts'

export const ownAddress = (fetch: GuardedFetch, publicUrl: string): OwnAddress => ({
  publicUrl,
  ask: (question, expected) =>
    fetch(`${publicUrl}/healthz`, { headers: { [questionHeader]: question, 'user-agent': 'causeway' } }).then(
      (answer) => read(answer, expected),
      unread,
    ),
})

const Alive = z.object({ status: z.literal('alive'), answer: z.string().optional() })

function read({ status, body }: Answer, expected: string): OwnAnswer {
  const { data } = Alive.safeParse(jsonIn(body.toString()))
  if (data?.answer === expected) return { kind: 'ours' }
  return { kind: 'other', said: `status ${status}`, isAlive: data !== undefined }
}

function unread(error: unknown): OwnAnswer {
  if (!(error instanceof FetchError)) throw error
  const { kind, code } = error
  if (kind === 'too_large') return { kind: 'other', said: 'the response is too large', isAlive: false }
  // Node's HTTP parser error codes.
  if (code.startsWith('HPE_')) return { kind: 'other', said: 'the response is not HTTP', isAlive: false }
  const reason = describeConnection(code) || kind
  return { kind: code === 'ECONNREFUSED' || isTls(code) ? 'refused' : 'unreached', reason }
}

const isTls = (code: string): boolean => isCertificateProblem(code) || /^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)

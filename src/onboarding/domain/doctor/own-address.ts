// Any server may answer 200, so the doctor asks a question that only this deployment can answer.
import type { Tokens } from '../ports/shared.ts'
import { type DoctorFinding, inconclusive, ok, type Remedy, wrong } from './finding.ts'

export const questionHeader = 'causeway-question'

type Prover = Pick<Tokens, 'deploymentProof' | 'sameDigest'>

/** Longer than clock differences within a deployment, too short for replays. */
const freshMs = 5 * 60_000

export function questionOf({ deploymentProof }: Prover, nonce: string, now: Date): string {
  const text = `${now.getTime()}.${nonce}`
  return `${text}.${deploymentProof(`question ${text}`)}`
}

export function answerTo(prover: Prover, question: string, now: Date): string | undefined {
  const [, text = '', at = '', proof = ''] = /^((\d{1,16})\.[\w-]{20,100})\.([\w-]{43})$/.exec(question) ?? []
  const isOurs = text !== '' && prover.sameDigest(proof, prover.deploymentProof(`question ${text}`))
  if (!isOurs || Math.abs(now.getTime() - Number(at)) > freshMs) return undefined
  return prover.deploymentProof(`answer ${text}`)
}

/** `refused`: no listener, or TLS that a browser rejects. `unreached`: unknown from this machine. */
export type OwnAnswer =
  | { kind: 'ours' }
  | { kind: 'other'; said: string; isAlive: boolean }
  | { kind: 'refused' | 'unreached'; reason: string }

const keptBack = new Set(['status 401', 'status 403', 'status 404'])

export function ownAddressFinding(publicUrl: string, answer: OwnAnswer): DoctorFinding {
  switch (answer.kind) {
    case 'ours':
      return ok('public_url', `${publicUrl} leads to this server.`)
    case 'refused':
      return wrong('public_url', 'callback_missing', `${publicUrl}: ${answer.reason}.`, correctPublicUrl)
    case 'unreached': {
      const words = `${publicUrl} cannot be reached from this machine: ${answer.reason}. Browsers may reach it by another way`
      return { ...inconclusive('public_url', `${words}: open ${publicUrl}/healthz in one.`), remedy: correctPublicUrl }
    }
    case 'other': {
      const words = `${publicUrl}/healthz is answered by something else: ${answer.said}`
      if (keptBack.has(answer.said)) {
        const maybe = 'or a proxy keeps that address to itself'
        return { ...inconclusive('public_url', `${words}, ${maybe}.`), remedy: correctPublicUrl }
      }
      const twin = answer.isAlive ? ', as of a server with another signing key, or of another release' : ''
      return wrong('public_url', 'callback_missing', `${words}${twin}.`, correctPublicUrl)
    }
  }
}

const correctPublicUrl: Remedy = {
  whoseMove: 'operator',
  advice:
    'Apps send users back to PUBLIC_URL, so links cannot be finished unless it leads here. The operator has to check that the program is running, that name, port and path of PUBLIC_URL are those that browsers use, and that the proxy at that address passes requests on to this server, with a certificate that browsers accept.',
}

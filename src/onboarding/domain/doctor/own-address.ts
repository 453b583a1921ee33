// Whether PUBLIC_URL leads to this deployment. Any server may answer with 200, so it is asked what only this one can say;
// and it says so to nobody else: whoever cannot write a question learns nothing from the answer.
import type { Tokens } from '../ports/shared.ts'
import { type DoctorFinding, inconclusive, ok, type Remedy, wrong } from './finding.ts'

export const questionHeader = 'causeway-question'

type Prover = Pick<Tokens, 'deploymentProof' | 'sameDigest'>

/** Longer than clocks of one deployment differ, and too short to ask again what somebody has seen. */
const freshMs = 5 * 60_000

export function questionOf({ deploymentProof }: Prover, nonce: string, now: Date): string {
  const text = `${now.getTime()}.${nonce}`
  return `${text}.${deploymentProof(`question ${text}`)}`
}

/** Undefined for what is no question of this deployment. */
export function answerTo(prover: Prover, question: string, now: Date): string | undefined {
  const [, text = '', at = '', proof = ''] = /^((\d{1,16})\.[\w-]{20,100})\.([\w-]{43})$/.exec(question) ?? []
  const isOurs = text !== '' && prover.sameDigest(proof, prover.deploymentProof(`question ${text}`))
  if (!isOurs || Math.abs(now.getTime() - Number(at)) > freshMs) return undefined
  return prover.deploymentProof(`answer ${text}`)
}

/**
 * `ours`: this deployment answered. `other`: something else did. `refused`: nobody listens, or not as a browser would
 * accept it. `unreached`: nothing can be told from this machine.
 */
export type OwnAnswer =
  | { kind: 'ours' }
  | { kind: 'other'; said: string; isAlive: boolean }
  | { kind: 'refused' | 'unreached'; reason: string }

/** A proxy may keep the address of health checks to itself. */
const keptBack = new Set(['status 401', 'status 403', 'status 404'])

export function ownAddressFinding(publicUrl: string, answer: OwnAnswer): DoctorFinding {
  switch (answer.kind) {
    case 'ours':
      return ok('public_url', `${publicUrl} leads to this deployment.`)
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
      const twin = answer.isAlive ? ', as of a deployment with another SIGNING_KEY, or of another release' : ''
      return wrong('public_url', 'callback_missing', `${words}${twin}.`, correctPublicUrl)
    }
  }
}

const correctPublicUrl: Remedy = {
  whoseMove: 'operator',
  advice:
    'Apps send users back to PUBLIC_URL, so links cannot be finished unless it leads here. The operator of this deployment has to check that the program is running, that name, port and path of PUBLIC_URL are those that browsers use, and that the proxy at that address passes requests on to this deployment, with a certificate that browsers accept.',
}

// Between the callback and the tenant's confirmation the authorization code waits, sealed, for about two minutes.

import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit.ts'
import { linkEntry } from '../../domain/audit-entry.ts'
import type { Link } from '../../domain/link.ts'
import type { HeldSecrets, Links } from '../../domain/ports/provisioning.ts'
import type { Seal } from '../../domain/ports/shared.ts'
import { place } from '../../domain/sealed-place.ts'
import type { Settings } from '../../domain/settings.ts'

/** What a token request needs besides the client. */
export type Proofs = { code: Secret; verifier: Secret; nonce: string; issuer: string | undefined }

export const holdCode =
  ({ links, seal }: { links: Links; seal: Seal }, { heldCodeSeconds }: Pick<Settings, 'heldCodeSeconds'>) =>
  async (link: Link, { code, verifier, nonce, issuer }: Proofs, actor: Actor): Promise<Link> => {
    const plain = JSON.stringify({ code: code.reveal(), verifier: verifier.reveal(), nonce, issuer })
    const heldCode = { sealed: seal.seal(new Secret(plain), place.heldCode(link)) }
    const audit = linkEntry(link, 'code_held', actor, {})
    const held = await links.move(link, 'code_held', { heldCode, dueInSeconds: heldCodeSeconds }, audit)
    // Another delivery of the same callback was faster; what it made of the link is the answer to both.
    return held ?? (await links.find(link.id)) ?? link
  }

export const openHeldCode =
  ({ held, seal }: { held: HeldSecrets; seal: Seal }) =>
  async (link: Link): Promise<Proofs | undefined> => {
    const sealed = await held.heldCode(link.id)
    if (!sealed) return undefined
    const { code, verifier, nonce, issuer } = JSON.parse(seal.open(sealed, place.heldCode(link)).reveal())
    return { code: new Secret(code), verifier: new Secret(verifier), nonce, issuer }
  }

import type { ChainName, SpecialBody } from '../domain/audit/audit-chain.ts'
import { chainStart, type Finding, type SavedHead, verifyBlocks } from '../domain/audit/verify-chain.ts'
import type { AuditChains } from '../domain/ports/audit-chain.ts'

const atOnce = 2_000

type ChainVerdict = { chain: ChainName; verified: number; finding?: Finding }

type VerifyChain = {
  chain: ChainName
  saved: readonly SavedHead[]
  onProgress?(position: number): void
}

/** Ignores entries that are written during the check. Starts again if a month was dropped during it. */
export async function verifyChain(auditChains: AuditChains, verify: VerifyChain): Promise<ChainVerdict> {
  const specials = await auditChains.specials(verify.chain)
  const verdict = await verifyOnce(auditChains, specials, verify)
  if (!verdict.finding) return verdict
  const isSame = droppedThrough(await auditChains.specials(verify.chain)) === droppedThrough(specials)
  return isSame ? verdict : verifyChain(auditChains, verify)
}

const droppedThrough = (specials: readonly SpecialBody[]): number =>
  Math.max(0, ...specials.map((body) => (body.kind === 'retention' ? body.through : 0)))

async function verifyOnce(
  auditChains: AuditChains,
  specials: readonly SpecialBody[],
  { chain, saved: all, onProgress }: VerifyChain,
): Promise<ChainVerdict> {
  const saved = all.filter((head) => head.chain === chain)
  const horizon = await auditChains.horizon()
  const tail = await auditChains.tail(chain)
  const isSigned = auditChains.isSigned
  let at = chainStart(chain)
  const found = (finding: Finding): ChainVerdict => ({ chain, verified: finding.position - 1, finding })
  while (at.position < (tail?.last ?? 0)) {
    const read = await auditChains.read(chain, at, atOnce)
    if (read.blocks.length === 0) return found({ position: at.position + 1, problem: 'removed' })
    const next = verifyBlocks({ chain, specials, saved, isSigned }, read, at)
    if ('problem' in next) return found(next)
    at = next
    onProgress?.(at.position)
  }
  const [stranger] = await auditChains.strangersAfter(chain, at.id, horizon)
  if (stranger !== undefined)
    return found({ position: at.position + 1, problem: 'inserted', entryId: String(stranger) })
  if (tail && !isSigned(tail)) return found({ position: tail.last, problem: 'forged_head' })
  if (saved.some(({ position }) => position > at.position))
    return found({ position: at.position + 1, problem: 'shortened' })
  return { chain, verified: at.position }
}

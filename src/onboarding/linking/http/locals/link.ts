import type { Translator } from '../../../../kit/messages/translator.ts'
import { type Link, needsConsentAgain, progressOf, statusOf, type UpstreamAccount } from '../../../domain/link.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { causeForUser } from '../../../http/locals/cause-words.ts'
import type { FollowedLink } from '../../flows/follow-link.ts'
import { brandLocals } from './brand.ts'
import { permissionNamed } from './permissions.ts'

export function linkLocals({ link, tenant, integration, account, mayTryAgain }: FollowedLink, translator: Translator) {
  const status = statusOf(link.state)
  const names = { app: integration?.displayName ?? link.integration, tenant: tenant.displayName }
  return {
    title: translator.t(titleOf(link), names),
    ...names,
    testMode: isTestTenant(tenant.id),
    status,
    consentAgain: needsConsentAgain(link) ? `/links/${link.id}/consent` : undefined,
    cancel: needsConsentAgain(link) ? `/links/${link.id}/cancel` : undefined,
    tryAgain: mayTryAgain ? `/links/${link.id}/again` : undefined,
    delayed: status === 'pending' && link.cause !== undefined,
    isLinked: status === 'linked',
    otherAccount: otherAccount(link, account, translator),
    cause: status === 'pending' || !link.cause ? undefined : causeForUser(link.cause, names, translator),
    notAllowed: link.missingScopes.map((name) => permissionNamed(name, integration, translator)),
    ...brandLocals(tenant, translator),
    liveAddress: `/links/${link.id}?live`,
    steps: stepsOf(link, translator),
  }
}

function stepsOf(link: Link, { t }: Translator) {
  const words: Partial<Record<ReturnType<typeof progressOf>[number]['progress'], string>> = {
    done: t('link.stepDone'),
    current: t('link.stepCurrent'),
  }
  return progressOf(link).map(({ step, progress }) => ({ label: t(`step.${step}`), progress, spoken: words[progress] }))
}

function titleOf({ kind, state }: Link): string {
  const relink = kind === 'relink'
  if (state === 'linked') return relink ? 'link.titleRelinked' : 'link.titleLinked'
  return relink ? 'link.titleRelinking' : 'link.titleLinking'
}

function otherAccount(link: Link, expected: UpstreamAccount | undefined, { parts }: Translator) {
  if (link.cause !== 'account_mismatch' || !expected) return undefined
  const { label: belongsTo } = expected
  const lead = link.account
    ? parts('link.otherAccount', { signedInAs: link.account.label, belongsTo })
    : parts('link.unknownAccount', { belongsTo })
  return { lead, belongsTo }
}

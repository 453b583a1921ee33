import type { TextPart, Translator } from '../../../../kit/messages/translator.ts'
import { appIcon, monogram } from '../../../domain/catalogue/app-icon.ts'
import { type Cause, isUsersMove } from '../../../domain/cause.ts'
import { type Link, type LinkStatus, needsConsentAgain, progressOf, statusOf } from '../../../domain/link.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { causeForUser, type Names } from '../../../http/locals/cause-words.ts'
import type { FollowedLink } from '../../flows/follow-link.ts'
import { brandLocals, tenantIcon, wayBack } from './brand.ts'
import { permissionNamed } from './permissions.ts'

export function linkLocals(followed: FollowedLink, translator: Translator) {
  const { link, tenant, integration, account, mayTryAgain } = followed
  const names = { app: integration?.displayName ?? link.integration, tenant: tenant.displayName }
  const outcome = outcomeOf(followed, names, translator)
  const asksAgain = needsConsentAgain(link)
  const isOtherAccount = outcome !== undefined && asksAgain
  return {
    title: outcome?.title ?? translator.t(titleOf(followed), names),
    ...names,
    icons: { app: integration ? appIcon(integration) : monogram(names.app), tenant: tenantIcon(tenant) },
    testMode: isTestTenant(tenant.id),
    outcome,
    consentAgain: asksAgain
      ? {
          href: `/links/${link.id}/consent`,
          label:
            isOtherAccount && account
              ? translator.t('link.signInAs', { account: account.label })
              : translator.t('connect.continue', names),
        }
      : undefined,
    cancel: asksAgain ? `/links/${link.id}/cancel` : undefined,
    tryAgain: mayTryAgain ? `/links/${link.id}/again` : undefined,
    notYours: isOtherAccount ? translator.t('link.notYours', names) : undefined,
    nextPage: outcome && !asksAgain ? wayBack(tenant, undefined, translator) : undefined,
    notAllowed: link.missingScopes.map((name) => permissionNamed(name, integration, translator)),
    ...brandLocals(tenant, translator),
    waiting: outcome ? undefined : waitingOf(link, names, translator),
  }
}

type Outcome = { kind: 'success' | 'neutral' | 'warning' | 'error'; title: string; lead: TextPart[] }

function outcomeOf(followed: FollowedLink, names: Names, translator: Translator): Outcome | undefined {
  const { link, account } = followed
  const status = statusOf(link.state)
  if (status === 'linked') {
    return {
      kind: 'success',
      title: translator.t(titleOf(followed), names),
      lead: translator.parts('link.linkedLead', names),
    }
  }
  if (link.cause === 'account_mismatch' && account) {
    const { title, userAdvice } = causeForUser(link.cause, names, translator)
    const lead = otherAccount(link, account.label, translator)
    return { kind: 'warning', title, lead: needsConsentAgain(link) ? lead : [...lead, plain(` ${userAdvice}`)] }
  }
  if (status === 'pending' || !link.cause) return undefined
  const { title, userAdvice } = causeForUser(link.cause, names, translator)
  return { kind: kindOf(status, link.cause), title, lead: [plain(userAdvice)] }
}

/** A declined consent is not a failure, and a problem that the user can fix is not an error. */
function kindOf(status: LinkStatus, cause: Cause): Outcome['kind'] {
  if (status === 'failed') return isUsersMove(cause) ? 'warning' : 'error'
  return status === 'needs_attention' ? 'warning' : 'neutral'
}

const plain = (text: string): TextPart => ({ text, tag: undefined })

function waitingOf(link: Link, names: Names, { t }: Translator) {
  return {
    lead: needsConsentAgain(link) ? t('link.consentAgain', names) : t('link.waitLead'),
    liveAddress: `/links/${link.id}?live`,
    steps: progressOf(link).map(({ step, progress }) => ({
      label: t(progress === 'done' ? `step.${step}Done` : `step.${step}`),
      progress,
      spoken: progress === 'done' ? t('link.stepDone') : progress === 'current' ? t('link.stepCurrent') : undefined,
    })),
    delayed: link.cause !== undefined,
  }
}

function titleOf({ link, isFirst }: FollowedLink): string {
  if (link.state === 'linked') return isFirst ? 'link.titleLinked' : 'link.titleRelinked'
  return isFirst ? 'link.titleLinking' : 'link.titleRelinking'
}

const otherAccount = (link: Link, belongsTo: string, { parts }: Translator): TextPart[] =>
  link.account
    ? parts('link.otherAccount', { signedInAs: link.account.label, belongsTo })
    : parts('link.unknownAccount', { belongsTo })

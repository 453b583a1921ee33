import type { Translator } from '../../../../kit/messages/translator.ts'
import type { Tenant } from '../../../domain/tenant.ts'

/** What the head and the foot of a tenant's page need. */
export function brandLocals({ branding }: Pick<Tenant, 'branding'>, { t }: Pick<Translator, 't'>) {
  const { accentColor, supportUrl, privacyUrl, termsUrl } = branding
  const links = [
    { href: supportUrl, label: t('page.support') },
    { href: privacyUrl, label: t('page.privacy') },
    { href: termsUrl, label: t('page.terms') },
  ]
  return {
    accentStyles: accentColor && `/accents/${accentColor.slice(1)}.css`,
    footLinks: links.filter(({ href }) => href !== undefined),
  }
}

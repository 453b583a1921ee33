import { pickLocale } from '../../../../kit/messages/pick-locale.ts'
import type { Translator } from '../../../../kit/messages/translator.ts'
import { drawnSize, type Logo, type Logos, logoPath } from '../../../domain/branding/logo.ts'
import type { Wording } from '../../../domain/branding/wording.ts'
import { type AppIcon, monogram } from '../../../domain/catalogue/app-icon.ts'
import { siteOf } from '../../../domain/linking/return-url.ts'
import type { Tenant } from '../../../domain/tenant.ts'

type PageBrand = Pick<Tenant, 'displayName' | 'branding' | 'logos'>

export function brandLocals({ displayName, branding, logos }: PageBrand, { t }: Pick<Translator, 't'>) {
  const { accentColor, supportUrl, privacyUrl, termsUrl } = branding
  const links = [
    { href: supportUrl, label: t('page.support') },
    { href: privacyUrl, label: t('page.privacy') },
    { href: termsUrl, label: t('page.terms') },
  ]
  return {
    tenantBrand: { name: displayName, logo: logoLocals(logos) },
    accentStyles: accentColor && `/accents/${accentColor.slice(1)}.css`,
    footLinks: links.filter(({ href }) => href !== undefined),
  }
}

/** A wide logo would be unreadable in a square. */
export function tenantIcon({ displayName, branding, logos: { light } }: PageBrand): AppIcon {
  if (light && light.width < 1.6 * light.height) return { src: logoPath(light) }
  return monogram(displayName, branding.accentColor)
}

function logoLocals({ light, dark }: Logos) {
  return light && { ...imageOf(light), dark: dark && imageOf(dark), needsTile: !dark && !light.readableOnDark }
}

const imageOf = (logo: Logo) => ({ src: logoPath(logo), ...drawnSize(logo) })

export function wordingLocals(wording: Wording | undefined, { lang }: Pick<Translator, 'lang'>) {
  const locale = wording && pickLocale([lang], Object.keys(wording), [])
  if (locale === undefined) return undefined
  const { intro, help } = wording?.[locale] ?? {}
  return { lang: locale, texts: [intro, help].filter((text) => text !== undefined) }
}

type WayBack = { href: string; label: string }

/** Without a return URL: the site of the tenant, or its help page. */
export function wayBack(
  { displayName, returnUrls, branding }: Pick<Tenant, 'displayName' | 'returnUrls' | 'branding'>,
  returnUrl: string | undefined,
  { t }: Pick<Translator, 't'>,
): WayBack | undefined {
  const href = returnUrl ?? siteOf(returnUrls) ?? branding.supportUrl
  return href === undefined ? undefined : { href, label: t('page.back', { tenant: displayName }) }
}

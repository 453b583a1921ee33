import { accentColors, type Branding } from '../../../domain/branding/branding.ts'
import { type ColorScheme, drawnSize, type Logo, type Logos, logoPath } from '../../../domain/branding/logo.ts'
import { maxTextLength } from '../../../domain/branding/wording.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { ShownOffer } from '../../../linking/http/locals/connect.ts'
import { doneWordsIn, languageName, shown } from './words.ts'

const doneWords = {
  saved: 'The changes are saved. Pages opened from now on show them; other processes follow within seconds.',
  logo_saved: 'The logo is saved.',
  logo_deleted: 'The logo is deleted.',
} as const
export type BrandingDone = keyof typeof doneWords

type BrandingPage = { tenant: Tenant; locales: readonly string[]; done: unknown }

export function brandingLocals({ tenant, locales, done }: BrandingPage) {
  const path = `/support/tenants/${encodeURIComponent(tenant.id)}`
  const { accentColor = '', supportUrl = '', privacyUrl = '', termsUrl = '', wording = {} } = tenant.branding
  const all = [...new Set([...locales, ...Object.keys(wording)])]
  return {
    title: `Branding of ${shown(tenant.displayName, 80)}`,
    name: shown(tenant.displayName, 80),
    id: tenant.id,
    path,
    isChangeable: tenant.status === 'active' || tenant.status === 'suspended',
    done: doneWordsIn(doneWords, done),
    fields: { accentColor, supportUrl, privacyUrl, termsUrl },
    swatches: swatchesOf(tenant.branding),
    logos: [logoLocals(tenant, 'light'), logoLocals(tenant, 'dark')],
    maxTextLength,
    languages: all
      .map((locale) => ({
        locale,
        name: languageName(locale),
        intro: wording[locale]?.intro ?? '',
        help: wording[locale]?.help ?? '',
        isSet: wording[locale] !== undefined,
        hasPages: locales.includes(locale),
      }))
      .sort(englishFirst),
  }
}

const englishFirst = (one: { locale: string; name: string }, other: { locale: string; name: string }) =>
  Number(other.locale === 'en') - Number(one.locale === 'en') || one.name.localeCompare(other.name, 'en')

/** The server draws the colors, because our CSP forbids inline styles. */
function swatchesOf({ accentColor }: Branding) {
  if (accentColor === undefined) return []
  const { light, dark } = accentColors(accentColor)
  return [
    { name: 'Light pages', paper: '#ffffff', ...light },
    { name: 'Dark pages', paper: '#151f1d', ...dark },
  ]
}

function logoLocals({ logos }: Tenant, scheme: ColorScheme) {
  const logo: Logo | undefined = logos[scheme]
  return {
    scheme,
    heading: scheme === 'light' ? 'Logo' : 'Logo for dark pages',
    text: logoAdvice(logos, scheme),
    image: logo && { src: logoPath(logo), ...drawnSize(logo) },
  }
}

function logoAdvice({ light, dark }: Logos, scheme: ColorScheme): string {
  if (scheme === 'light') return 'Shown instead of the name.'
  if (light && !dark && !light.readableOnDark) {
    return 'Recommended: the logo above is too dark for dark pages, so it has a white background there.'
  }
  return 'Optional. Used only together with the logo above.'
}

export const sampleOffer = (tenant: Tenant): ShownOffer => ({
  session: {
    endUser: { id: 'sample', displayName: 'Sample user' },
    returnUrl: tenant.returnUrls[0],
    allowOtherAccount: false,
    choices: undefined,
    inputs: {},
    expiresAt: new Date(Date.now() + 15 * 60_000),
  },
  tenant,
  integration: {
    id: 'sample',
    displayName: 'Sample app',
    scopes: [{ name: 'openid', description: 'See your email address' }],
    inputs: {},
    mcpUrl: undefined,
  },
  connection: undefined,
})

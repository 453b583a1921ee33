// How the pages of a tenant's users look, as the API takes and tells it.
import { z } from 'zod'
import { accentPattern, pageUrlError } from '../../domain/branding/branding.ts'
import { drawnSize, type Logo, type Logos, logoPath } from '../../domain/branding/logo.ts'
import { longestText, mostLocales, wordingError } from '../../domain/branding/wording.ts'
import { Locale } from '../../http/schemas.ts'

const checked = (text: z.ZodString, errorOf: (text: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const message = errorOf(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

const PageUrl = checked(z.string().max(2_000), pageUrlError)

const WordingText = checked(z.string().trim().min(1), wordingError).meta({ maxLength: longestText })

const Wording = z
  .record(
    Locale,
    z
      .strictObject({
        intro: WordingText.optional().meta({ description: 'Why the user is asked. Below the list of permissions.' }),
        help: WordingText.optional().meta({ description: 'What to do with questions. Below the buttons.' }),
      })
      .meta({ description: 'The words in one language.' }),
  )
  .refine((wording) => Object.keys(wording).length <= mostLocales, `must have at most ${mostLocales} languages`)
  .meta({
    description:
      'Words of its own on the connect page, by language (BCP 47): one line of plain text each, of 200 characters at most, without markup, addresses, symbols and invisible characters. They are shown as a quote of the tenant, on pages in that language.',
    examples: [{ en: { intro: 'We use your calendar to find times that suit everybody.' } }],
  })

export const Branding = z
  .strictObject({
    accentColor: z.string().regex(accentPattern, 'must be a color such as #0c6863, in lowercase').optional().meta({
      description:
        'Of buttons and links. It is darkened or lightened as far as it has to be to be read on light and on dark pages.',
    }),
    supportUrl: PageUrl.optional().meta({ description: 'Where users get help. An https address, as the other two.' }),
    privacyUrl: PageUrl.optional().meta({ description: 'What becomes of the data of users.' }),
    termsUrl: PageUrl.optional().meta({ description: 'The terms of use.' }),
    wording: Wording.optional(),
  })
  .meta({ description: 'How the pages look that its users see.' })

export const LogoAnswer = z
  .strictObject({
    url: z.string().meta({
      description:
        'Where the picture is, below the address of the deployment. It never changes: another picture has another.',
    }),
    width: z.int().meta({ description: 'As it is drawn, in CSS pixels. The picture is up to twice as dense.' }),
    height: z.int().meta({ description: 'The same.' }),
  })
  .meta({
    id: 'Logo',
    description: 'A picture that was made from what was sent.',
    examples: [{ url: `/logos/${'3f'.repeat(32)}.png`, width: 160, height: 40 }],
  })

export const LogosAnswer = z
  .strictObject({
    light: LogoAnswer.optional().meta({ description: 'On light pages, and on dark ones if there is no other.' }),
    dark: LogoAnswer.optional().meta({ description: 'On dark pages, if there is one for light pages, too.' }),
  })
  .meta({ description: 'In the place of its name at the top of the pages that its users see.' })

export const logoAnswer = (logo: Logo): z.input<typeof LogoAnswer> => ({ url: logoPath(logo), ...drawnSize(logo) })

export const logosAnswer = ({ light, dark }: Logos): { logos?: z.input<typeof LogosAnswer> } =>
  light || dark
    ? { logos: { ...(light && { light: logoAnswer(light) }), ...(dark && { dark: logoAnswer(dark) }) } }
    : {}

import { z } from 'zod'
import { accentPattern, pageUrlError } from '../../domain/branding/branding.ts'
import { drawnSize, type Logo, type Logos, logoPath } from '../../domain/branding/logo.ts'
import { maxLocales, maxTextLength, wordingError } from '../../domain/branding/wording.ts'
import { Locale } from '../../http/schemas.ts'

const checked = (text: z.ZodString, errorOf: (text: string) => string | undefined) =>
  text.superRefine((value, context) => {
    const message = errorOf(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

const PageUrl = checked(z.string().max(2_000), pageUrlError)

const WordingText = checked(z.string().trim().min(1), wordingError).meta({ maxLength: maxTextLength })

const Wording = z
  .record(
    Locale,
    z
      .strictObject({
        intro: WordingText.optional().meta({
          description: 'Why you ask for access. Shown below the list of permissions.',
        }),
        help: WordingText.optional().meta({ description: 'Where users can get help. Shown below the buttons.' }),
      })
      .meta({ description: 'The texts in one language.' }),
  )
  .refine((wording) => Object.keys(wording).length <= maxLocales, `must have at most ${maxLocales} languages`)
  .meta({
    description:
      'Texts on the connect page by language (BCP 47). Each text is one line of plain text with at most 200 characters, without markup, URLs, symbols or invisible characters. They are shown as quotes of the tenant on pages in that language.',
    examples: [{ en: { intro: 'We use your calendar to find times that suit everyone.' } }],
  })

export const Branding = z
  .strictObject({
    accentColor: z.string().regex(accentPattern, 'must be a color such as #0c6863, in lowercase').optional().meta({
      description:
        'The color of buttons and links. It is darkened or lightened if needed for contrast on light and dark pages.',
    }),
    supportUrl: PageUrl.optional().meta({ description: 'Your help page. Must use https, like the other URLs.' }),
    privacyUrl: PageUrl.optional().meta({ description: 'Your privacy policy.' }),
    termsUrl: PageUrl.optional().meta({ description: 'Your terms of use.' }),
    wording: Wording.optional(),
  })
  .meta({ description: 'The appearance of the pages that end users see.' })

export const LogoAnswer = z
  .strictObject({
    url: z.string().meta({
      description: "The path of the picture, relative to the deployment's URL. The picture at a path never changes.",
    }),
    width: z
      .int()
      .meta({ description: 'The displayed width in CSS pixels. The picture has up to twice as many pixels.' }),
    height: z.int().meta({ description: 'The same.' }),
    readableOnDark: z.boolean().optional().meta({
      description:
        'Whether the picture is readable on dark pages. If `false` and there is no logo for dark pages, the picture stands on a white tile there: upload one. Absent for logos from before 0.4.0.',
    }),
  })
  .meta({
    id: 'Logo',
    description: 'The picture made from the uploaded image.',
    examples: [{ url: `/logos/${'3f'.repeat(32)}.png`, width: 160, height: 40, readableOnDark: false }],
  })

export const LogosAnswer = z
  .strictObject({
    light: LogoAnswer.optional().meta({ description: 'For light pages. Also used on dark pages if `dark` is absent.' }),
    dark: LogoAnswer.optional().meta({ description: 'For dark pages. Only used if `light` is present.' }),
  })
  .meta({ description: "Replaces the tenant's name at the top of the pages that end users see." })

export const logoAnswer = (logo: Logo): z.input<typeof LogoAnswer> => ({
  url: logoPath(logo),
  ...drawnSize(logo),
  readableOnDark: logo.readableOnDark,
})

export const logosAnswer = ({ light, dark }: Logos): { logos?: z.input<typeof LogosAnswer> } =>
  light || dark
    ? { logos: { ...(light && { light: logoAnswer(light) }), ...(dark && { dark: logoAnswer(dark) }) } }
    : {}

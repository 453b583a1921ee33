// The texts of our pages about causes, for tenants' own pages.
import { z } from 'zod'
import type { Cause } from '../domain/cause.ts'
import type { Languages } from './languages.ts'
import { causeForUser, type Names } from './locals/cause-words.ts'
import { Locale } from './schemas.ts'

export const UserWordsAnswer = z
  .strictObject({
    locale: z.string().meta({ description: 'The language of the texts, as a BCP 47 tag.' }),
    title: z.string().meta({ description: 'What happened, in a few words.' }),
    advice: z.string().meta({ description: 'What the user can do, or that they need not do anything.' }),
  })
  .meta({ id: 'UserWords', description: 'The texts that our pages show to end users, for use on your own pages.' })

export const wordsLocale = Locale.optional().meta({
  description:
    'The language of `causeForUser`, as a BCP 47 tag. Send the language of your user. Defaults to English, also if there are no texts in this language.',
  examples: ['de'],
})

type AppOfTenant = { tenant: string; integration: string }

export type UserWordsNeeds = {
  readNames(of: AppOfTenant): Promise<Names>
  languages: Pick<Languages, 'forLocale'>
}

/** Reads the names of a tenant and an app once for a whole list. */
export function namesOnce(readNames: (of: AppOfTenant) => Promise<Names>): UserWordsNeeds['readNames'] {
  const known = new Map<string, Promise<Names>>()
  return ({ tenant, integration }) => {
    const key = JSON.stringify([tenant, integration])
    const names = known.get(key) ?? readNames({ tenant, integration })
    known.set(key, names)
    return names
  }
}

/** Empty if there is no cause. */
export async function wordsForUser(
  { readNames, languages }: UserWordsNeeds,
  of: AppOfTenant & { cause?: Cause | undefined },
  locale: string | undefined,
): Promise<{ causeForUser?: z.input<typeof UserWordsAnswer> }> {
  if (!of.cause) return {}
  const translator = languages.forLocale(locale)
  const { title, userAdvice: advice } = causeForUser(of.cause, await readNames(of), translator)
  return { causeForUser: { locale: translator.lang, title, advice } }
}

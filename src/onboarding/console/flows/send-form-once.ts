import type { ConsoleSessions } from '../../domain/ports/console.ts'

type SentForm = { sessionId: string; form: string }

/**
 * Does what a form asks for, unless the same form was sent before: a reload or a double click would make a second key whose
 * secret nobody has. What fails did nothing, so the form may be corrected and sent again. Answers whether it was the first.
 */
export const sendFormOnce =
  ({ consoleSessions }: { consoleSessions: Pick<ConsoleSessions, 'claimForm' | 'releaseForm'> }) =>
  async ({ sessionId, form }: SentForm, act: () => Promise<void>): Promise<boolean> => {
    if (!(await consoleSessions.claimForm(sessionId, form))) return false
    try {
      await act()
    } catch (error) {
      await consoleSessions.releaseForm(sessionId, form)
      throw error
    }
    return true
  }

import type { Scope } from '../domain/integration.ts'
import { type ProfileData, profile } from './profile.ts'

const google = (data: Pick<ProfileData, 'id' | 'displayName' | 'description' | 'health'> & { grants: Scope[] }) =>
  profile({
    ...data,
    issuer: 'https://accounts.google.com',
    endpoints: {
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      userinfo: 'https://openidconnect.googleapis.com/v1/userinfo',
      revocation: 'https://oauth2.googleapis.com/revoke',
      jwks: 'https://www.googleapis.com/oauth2/v3/certs',
    },
    scopes: [{ name: 'openid' }, { name: 'email', description: 'See your email address' }, ...data.grants],
    // Google sends a refresh token on first consent only, so consent is always asked for.
    authorizationParameters: { prompt: 'consent' },
    otherAccountParameters: { prompt: 'select_account consent' },
    revocationReach: 'grant',
    // A refresh brings a new access token alone (as the npm package arctic has it, read in November 2026).
    rotatesRefreshTokens: false,
  })

const scope = (name: string, description: string): Scope => ({
  name: `https://www.googleapis.com/auth/${name}`,
  description,
})

export const gmail = google({
  id: 'gmail',
  displayName: 'Gmail',
  description: 'Read, search and send mail.',
  grants: [scope('gmail.readonly', 'Read your mail'), scope('gmail.send', 'Send mail in your name')],
  health: { by: 'function', tool: 'search_messages', arguments: { maxResults: 1 } },
})

export const googleDrive = google({
  id: 'google-drive',
  displayName: 'Google Drive',
  description: 'Find and read files.',
  grants: [scope('drive.readonly', 'See and download your files')],
  health: { by: 'function', tool: 'search_files', arguments: { pageSize: 1 } },
})

export const googleCalendar = google({
  id: 'google-calendar',
  displayName: 'Google Calendar',
  description: 'Read and plan events.',
  grants: [scope('calendar.events', 'See and change events on your calendars')],
  health: { by: 'function', tool: 'list_events', arguments: { calendarId: 'primary', maxResults: 1 } },
})

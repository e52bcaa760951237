// Amounts, dates and counts in the reader's own manner. Amounts are whole minor units throughout.

const locale = navigator.languages;
const formats = new Map();

function number(key, options) {
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.NumberFormat(locale, options)));
  return format;
}

function currencyFormat(currency) {
  return number(`currency ${currency}`, { style: 'currency', currency });
}

/** How many decimals a currency has. */
export function decimals(currency) {
  return currencyFormat(currency).resolvedOptions().maximumFractionDigits;
}

/** Minor units as an exact decimal text in major ones: 1234 of EUR is "12.34". */
export function major(minor, currency) {
  const places = decimals(currency);
  const whole = BigInt(minor);
  const sign = whole < 0n ? '-' : '';
  const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, '0');
  return sign + (places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits);
}

export function money(minor, currency) {
  return currencyFormat(currency).format(major(minor, currency));
}

/** An amount in short, for axes: €1.2K. */
export function moneyShort(minor, currency) {
  return number(`short ${currency}`, { style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 }).format(major(Math.round(minor), currency));
}

/** The sign between whole and fraction, and the one between thousands that is typed with it. */
function signs() {
  const decimal = number('plain', {}).formatToParts(1.5).find((part) => part.type === 'decimal').value;
  return { decimal, group: decimal === ',' ? '.' : ',' };
}

/** A number that somebody typed without its groups, and with a point. */
function plainOf(text) {
  const { decimal, group } = signs();
  let plain = text.trim().replace(/[\s\u00a0\u202f'’]/g, '');
  const grouped = new RegExp(`^-?[1-9]\\d{0,2}(\\${group}\\d{3})+(\\${decimal}\\d*)?$`);
  if (grouped.test(plain)) plain = plain.replaceAll(group, '');
  return plain.replace(',', '.');
}

/** What somebody typed as minor units, or null where it is no amount of the currency. */
export function minorOf(text, currency) {
  const places = decimals(currency);
  const found = /^(-?)(\d+)(?:\.(\d*))?$/.exec(plainOf(text));
  if (!found || (found[3] ?? '').length > places) return null;
  const minor = Number(found[1] + found[2] + (found[3] ?? '').padEnd(places, '0'));
  return Number.isSafeInteger(minor) ? minor : null;
}

/** What somebody typed as a decimal text of the API, or null where it is no number. */
export function decimalOf(text) {
  const plain = plainOf(text);
  return /^\d+(\.\d+)?$/.test(plain) ? plain : null;
}

/** Whether a text is thousands to a reader whose decimal sign is the comma, and a fraction as the
 * API writes it, so that nobody can tell which of them stands in a field: 1.000. */
export const isTwofold = (text) => signs().group === '.' && /^[1-9]\d{0,2}\.\d{3}$/.test(text.trim());

export function count(value) {
  return number('count', {}).format(value);
}

/** A decimal text as it is, with groups; none of its digits is lost. */
export function quantity(text) {
  return number('quantity', { maximumFractionDigits: 20 }).format(text);
}

export function percent(bps) {
  return number('percent', { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10000);
}

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
const MONTH_YEAR = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const AGO = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

export const day = (text) => DAY.format(new Date(text));
export const time = (text) => TIME.format(new Date(text));
/** An instant of a contract's clock, which runs in UTC. */
export const clock = (text) => `${CLOCK.format(new Date(text))} UTC`;
export const month = (text) => MONTH.format(new Date(text.length === 7 ? `${text}-01` : text));
export const monthYear = (text) => MONTH_YEAR.format(new Date(text.length === 7 ? `${text}-01` : text));

const STEPS = [[60, 'second'], [60, 'minute'], [24, 'hour'], [30, 'day'], [12, 'month'], [Infinity, 'year']];

function relative(seconds, round) {
  let span = seconds;
  for (const [size, unit] of STEPS) {
    if (Math.abs(span) < size) return AGO.format(round(span), unit);
    span /= size;
  }
  return '';
}

export const ago = (text, now = Date.now()) => relative((new Date(text) - now) / 1000, Math.round);

/** When so many seconds are over, rather too late than too early. */
export const ahead = (seconds) => relative(seconds, Math.ceil);

/** `YYYY-MM-DD` of an instant, in UTC. */
export const isoDay = (date) => new Date(date).toISOString().slice(0, 10);

/** The last second of a `YYYY-MM-DD`, in UTC: what ends on a day is good all of it. */
export const endOfDay = (day) => day && `${day}T23:59:59Z`;

/** So many months after an instant, at its time of day: on the last day of a month that has not as many. */
export function addMonths(from, months) {
  const at = new Date(from);
  const dayOfMonth = at.getUTCDate();
  at.setUTCMonth(at.getUTCMonth() + months + 1, 0);
  at.setUTCDate(Math.min(dayOfMonth, at.getUTCDate()));
  return at;
}

/** A word of the API as people read it: `past_due` is "Past due", `oneTime` "One time". */
export function words(text) {
  const plain = String(text).replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.]/g, ' ').toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

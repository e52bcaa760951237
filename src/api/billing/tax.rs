//! Tax: the rates that Accrue knows, and what its rules would make of a sale.

mod evaluate;
mod rates;

pub use evaluate::{EvaluateTaxBody, TaxView};
pub use rates::{RateView, RatesView};

use actors::domain::platform::seller::Scope;

use crate::gate::Route;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/tax/rates", rates::rates)
            .named("listTaxRates")
            .summary("Read the VAT rates of a country of the EU")
            .describe(
                "What holds there on a day. `reduced` is what the country's own law calls so, its \
                 further reduced rates are `second_reduced` and `third_reduced`. The table begins \
                 on 2020-01-01; it was written down from what its authors knew of the European \
                 Commission's list of rates, so compare it with that list before you rely on it.",
            )
            .query_needed_text("country", "An ISO 3166-1 alpha-2 code of a member of the EU.")
            .query_text("on", "A day, today by default.")
            .answer::<RatesView>(200, "The rates, and from when until when each holds.")
            .refuses(400, "`country` is missing or not in the EU, or `on` is before the table."),
        Route::post("/tax/evaluate", evaluate::evaluate)
            .named("evaluateTax")
            .needs(Scope::BillingRead)
            .may_only_read()
            .summary("Find the tax of a sale")
            .describe(
                "Stores nothing. At home the country's rate is charged; in another country of the \
                 EU nothing to who has a VAT id of that country (`AE`), and else that country's \
                 rate; outside the EU nothing (`O`). A VAT id is checked for form and check digits \
                 of the country, which does not say whether anybody holds it.",
            )
            .body::<EvaluateTaxBody>()
            .answer::<TaxView>(200, "The tax, as an invoice of a line over this amount has it.")
            .refuses(400, "A country, the day or the amount is missing or malformed."),
    ]
}

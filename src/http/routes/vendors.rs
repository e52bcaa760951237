//! Marketplace vendors: the seller's part, the operator's, and the vendor's own page.

use crate::api::backoffice::vendors as deciding;
use crate::api::payments::vendors;
use crate::http::route::{Route, Surface};
use crate::pages::verify;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    [seller_routes(), operator_routes(), page_routes()].concat()
}

fn seller_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/vendors", vendors::create)
            .tag("Vendors")
            .summary("Make a vendor")
            .describe(
                "A vendor is a payee that verifies itself over a link and is paid out within an \
                 allowance: give it payout methods, wallets and payouts by its `payeeId`. Its \
                 verification is the payee's. What happens to it is told in \
                 `MarketplaceVendor…` events, to webhooks that name them. Vendors must be enabled \
                 for your account.",
            )
            .idempotent()
            .body::<vendors::VendorBody>()
            .answer::<vendors::VendorView>(201, "The vendor.")
            .answer::<vendors::VendorView>(200, "A replay: the vendor as it is now.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "Vendors are not enabled.")
            .refuses(409, "The key was used for a different request."),
        Route::get("/payments-api/v1/vendors", vendors::list)
            .tag("Vendors")
            .summary("List vendors")
            .paged("beforeId")
            .answer::<vendors::VendorList>(200, "Newest first.")
            .refuses(404, "Vendors are not enabled."),
        Route::get("/payments-api/v1/vendors/{vendorId}", vendors::get)
            .tag("Vendors")
            .summary("Read a vendor")
            .path_id("vendorId")
            .answer::<vendors::VendorView>(200, "The vendor."),
        Route::post("/payments-api/v1/vendors/{vendorId}/verification-link", vendors::issue)
            .tag("Vendors")
            .summary("Issue a verification link")
            .describe(
                "The vendor opens it and says who it is; in a demo account that passes by itself \
                 within seconds. It is good for 7 days; earlier links stay good.",
            )
            .path_id("vendorId")
            .idempotent()
            .answer::<vendors::LinkView>(201, "The link.")
            .answer::<vendors::LinkView>(200, "A replay: the vendor's newest link.")
            .refuses(
                409,
                "There is nothing left to verify, the vendor is archived, or the key was used for \
                 a different request.",
            ),
    ]
}

fn operator_routes() -> Vec<Route> {
    vec![
        Route::post("/backoffice/v1/vendors/{vendorId}/verification", deciding::verify)
            .summary("Decide on the verification of a vendor")
            .describe("It is a decision on its payee too. The same again changes nothing.")
            .path_id("vendorId")
            .body::<deciding::VendorStatusBody>()
            .answer::<vendors::VendorView>(200, "The vendor as it is now.")
            .refuses(400, "No such status.")
            .refuses(409, "The vendor is archived."),
        Route::post("/backoffice/v1/vendors/{vendorId}/allowance", deciding::allow)
            .summary("Change the payout allowance of a vendor")
            .path_id("vendorId")
            .body::<deciding::AllowanceBody>()
            .answer::<vendors::VendorView>(200, "The vendor as it is now.")
            .refuses(400, "A field is wrong, or two contradict each other."),
    ]
}

fn page_routes() -> Vec<Route> {
    vec![
        Route::get("/verify/{token}", verify::show)
            .on(Surface::Page)
            .open()
            .summary("The page on which a vendor verifies itself")
            .path_text("token", "Token of the verification link.")
            .answer_as(200, "text/html", "How far the verification is, and what to do.")
            .answer_as(404, "text/html", "Not a link of ours, or over.")
            .refuses(404, "Not a link of ours, or over."),
        Route::post("/verify/{token}", verify::submit)
            .on(Surface::Page)
            .open()
            .summary("Begins the verification of a vendor")
            .path_text("token", "Token of the verification link.")
            .answer::<verify::Begun>(200, "It has begun, for `Accept: application/json`.")
            .answer_empty(303, "It has begun.")
            .answer_as(404, "text/html", "Not a link of ours, or over.")
            .refuses(404, "Not a link of ours, or over.")
            .answer_as(409, "text/html", "There is nothing left to verify.")
            .refuses(409, "There is nothing left to verify."),
    ]
}

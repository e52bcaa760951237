//! The operator's switches: for all sellers, and for one.

use std::sync::Arc;

use actors::directory::EVERYONE;
use actors::domain::ids::SellerId;
use actors::domain::platform::switches::{Switch, Switches, effective};
use actors::tables::SWITCHES;
use serde::{Deserialize, Serialize};
use storage::Scan;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// How a switch is to stand.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwitchBody {
    enabled: bool,
    /// For this seller alone, who then stands apart from all others.
    #[schema(minimum = 1, maximum = 9007199254740991_i64)]
    seller_account_id: Option<u64>,
}

/// How a switch stands.
#[derive(Serialize, ToSchema)]
pub struct SwitchView {
    name: &'static str,
    /// For every seller that is not among `sellers`.
    enabled: bool,
    /// Those for whom it was turned apart.
    sellers: Vec<SellerSwitchView>,
}

/// How a switch stands for one seller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SellerSwitchView {
    seller_account_id: u64,
    enabled: bool,
}

/// All switches.
#[derive(Serialize, ToSchema)]
pub struct SwitchList {
    switches: Vec<SwitchView>,
}

/// What the operator has turned, for all (seller 0) and for single sellers.
type Turned = Vec<(SellerId, Switches)>;

pub async fn list(app: Arc<App>, _: Request) -> ApiResult {
    let turned = turned(&app).await?;
    let view = |switch| SwitchView::new(switch, &turned, app.settings.demo);
    Ok(Response::ok(&SwitchList { switches: Switch::ALL.iter().copied().map(view).collect() }))
}

pub async fn put(app: Arc<App>, request: Request) -> ApiResult {
    let switch = Switch::parse(&request.text_param("name")?).ok_or_else(ApiError::missing)?;
    let SwitchBody { enabled, seller_account_id } = request.json()?;
    let seller = match seller_account_id.map(SellerId) {
        None => EVERYONE,
        Some(id) if app.directory.seller(id)?.is_some() => id,
        Some(_) => return Err(ApiError::invalid("sellerAccountId is not a seller account")),
    };
    app.sellers.switch(seller, switch, enabled).await?;
    let turned = turned(&app).await?;
    Ok(Response::ok(&SwitchView::new(switch, &turned, app.settings.demo)))
}

async fn turned(app: &App) -> Result<Turned, ApiError> {
    app.blocking(|store| store.scan(SWITCHES, Scan::all().by_key()).collect()).await
}

impl SwitchView {
    fn new(switch: Switch, turned: &Turned, demo_server: bool) -> Self {
        let everyone = turned.iter().find(|(seller, _)| *seller == EVERYONE);
        let global = everyone.map_or_else(Switches::default, |(_, switches)| *switches);
        let apart = |(seller, own): &(SellerId, Switches)| {
            let enabled = own.turned(switch).filter(|_| *seller != EVERYONE)?;
            Some(SellerSwitchView { seller_account_id: seller.0, enabled })
        };
        Self {
            name: switch.name(),
            enabled: effective(&global, &Switches::default(), demo_server, switch),
            sellers: turned.iter().filter_map(apart).collect(),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/switches", list)
            .named("listSwitches")
            .summary("List the switches")
            .answer::<SwitchList>(200, "All of them."),
        Route::put("/switches/{name}", put)
            .named("setSwitch")
            .summary("Turn a switch")
            .describe(
                "For all sellers, or for one, who then keeps it whatever is turned for all. \
                 Takes effect at once and outlives a restart.",
            )
            .path_text("name", "Name of the switch.")
            .body::<SwitchBody>()
            .about_account_in_body()
            .answer::<SwitchView>(200, "The switch as it stands now.")
            .refuses(400, "A field is malformed, or there is no such seller.")
            .refuses(404, "No such switch."),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(turned: &Turned, demo_server: bool) -> Value {
        let view = SwitchView::new(Switch::Credits, turned, demo_server);
        serde_json::to_value(view).expect("JSON")
    }

    #[test]
    fn sellers_that_were_turned_apart_are_listed() {
        let on = Switches::default().with(Switch::Credits, true);
        let off = Switches::default().with(Switch::Credits, false);
        let other = Switches::default().with(Switch::AutoCharge, true);
        let name = "billing.credits";
        assert_eq!(shown(&vec![], false), json!({"name": name, "enabled": false, "sellers": []}));
        assert_eq!(shown(&vec![], true), json!({"name": name, "enabled": true, "sellers": []}));
        let turned = vec![(EVERYONE, off), (SellerId(3), on), (SellerId(4), other)];
        let sellers = json!([{"sellerAccountId": 3, "enabled": true}]);
        let expected = json!({"name": name, "enabled": false, "sellers": sellers});
        assert_eq!(shown(&turned, true), expected);
    }
}

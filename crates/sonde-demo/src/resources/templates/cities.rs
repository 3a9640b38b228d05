//! Countries and their cities, so that one variable can depend on another.

const COUNTRIES: &[(&str, &[&str])] = &[
    ("austria", &["graz", "linz", "salzburg", "vienna"]),
    ("brazil", &["brasilia", "rio-de-janeiro", "salvador"]),
    ("japan", &["kyoto", "osaka", "tokyo"]),
    ("kenya", &["mombasa", "nairobi"]),
];

pub(super) fn countries() -> Vec<String> {
    COUNTRIES.iter().map(|(country, _)| (*country).to_owned()).collect()
}

pub(super) fn of(country: &str) -> Vec<String> {
    let found = COUNTRIES.iter().find(|(known, _)| *known == country);
    found.map(|(_, cities)| cities.iter().map(|city| (*city).to_owned()).collect()).unwrap_or_default()
}

pub(super) fn describe(country: &str, city: &str) -> Option<String> {
    of(country).iter().any(|known| known == city).then(|| format!("{city} is a city in {country}."))
}
